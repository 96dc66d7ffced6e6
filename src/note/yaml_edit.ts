import { lineStart, lineStop, nextLine } from './lines.ts'
import { insertion, type Splice } from './splice.ts'
import { sameValue } from './value.ts'
import { YAML_OPTIONS } from './yaml.ts'
import { yamlLibrary } from './yaml_library.ts'
import { type Slot, type Slots, slotsOf } from './yaml_slots.ts'
import { blockValue, flowValue, inlineValue, itemValue, keyText } from './yaml_write.ts'

/**
 * - `fine`: of a list or map only the entries that differ change
 * - `whole`: the value is written anew
 */
export type EditGrain = 'fine' | 'whole'

/**
 * The changes that give a top-level key a value, or null where there is no such way. The caller reads the result
 * again: what an anchor or an odd layout makes of it is judged there.
 * @param yaml what stands between the fences, line ends LF
 * @param old the value the key has now, undefined where it is not there
 */
export function setKey(
  yaml: string,
  key: string,
  value: unknown,
  { grain, old }: { grain: EditGrain; old: unknown },
): Splice[] | null {
  const top = topSlots(yaml)
  if (top === null) return [insertion(yaml.length, `${keyText(key)}:${blockValue(value, 0)}\n`)]
  const slot = top.slots.find(({ name }) => name === key)
  if (slot === undefined) return addPair(yaml, top, key, value, { atEnd: true })
  return (
    (grain === 'fine' ? editInside(yaml, slot, old, value) : null) ?? replaceValue(yaml, top, slot, value)
  )
}

/** The changes that take a top-level key away, or null where there is no such way. */
export function dropKey(yaml: string, key: string): Splice[] | null {
  const top = topSlots(yaml)
  const at = top?.slots.findIndex(({ name }) => name === key) ?? -1
  if (top === null || at < 0) return null
  if (top.flow && top.slots.length === 1) {
    const { start, end } = top.slots[0]!
    return [{ range: { start, end }, text: '' }]
  }
  return removeRun(yaml, top, at, at + 1)
}

function topSlots(yaml: string): Slots | null {
  const { contents } = yamlLibrary().parseDocument(yaml, { ...YAML_OPTIONS, keepSourceTokens: true })
  return yamlLibrary().isMap(contents) ? slotsOf(contents) : null
}

/** Changes inside a list or map, entry by entry; null where old and new have no entries in common to keep. */
function editInside(yaml: string, slot: Slot, old: unknown, value: unknown): Splice[] | null {
  const inner = slotsOf(slot.node)
  if (inner === null || inner.slots.length === 0) return null
  if (inner.kind === 'list' && Array.isArray(old) && Array.isArray(value)) {
    return old.length === inner.slots.length && value.length > 0 ? editList(yaml, inner, old, value) : null
  }
  if (inner.kind === 'map' && isMapping(old) && isMapping(value) && Object.keys(value).length > 0) {
    return editMap(yaml, inner, old, value)
  }
  return null
}

function editList(yaml: string, list: Slots, old: unknown[], value: unknown[]): Splice[] | null {
  const shorter = Math.min(old.length, value.length)
  let head = 0
  while (head < shorter && sameValue(old[head], value[head])) head++
  let tail = 0
  while (tail < shorter - head && sameValue(old[old.length - 1 - tail], value[value.length - 1 - tail]))
    tail++
  const gone = old.slice(head, old.length - tail)
  const added = value.slice(head, value.length - tail)
  if (gone.length === added.length) {
    return collect(added.map((item, i) => editEntry(yaml, list, list.slots[head + i]!, gone[i], item)))
  }
  if (gone.length === old.length && list.flow) return replaceItems(yaml, list, added)
  return collect([
    added.length === 0 ? [] : insertItems(yaml, list, head, added),
    gone.length === 0 ? [] : removeRun(yaml, list, head, head + gone.length),
  ])
}

function editMap(
  yaml: string,
  map: Slots,
  old: Record<string, unknown>,
  value: Record<string, unknown>,
): Splice[] | null {
  const added = Object.keys(value).filter((key) => !Object.hasOwn(old, key))
  const last = map.slots.at(-1)!
  // What is added goes behind the last pair, so that pair must stay.
  if (added.length > 0 && !Object.hasOwn(value, last.name)) return null
  const steps = map.slots.map((slot, i) => {
    if (!Object.hasOwn(value, slot.name)) return removeRun(yaml, map, i, i + 1)
    if (sameValue(old[slot.name], value[slot.name])) return []
    return editEntry(yaml, map, slot, old[slot.name], value[slot.name])
  })
  return collect([...steps, ...added.map((key) => addPair(yaml, map, key, value[key], { atEnd: false }))])
}

function editEntry(yaml: string, holder: Slots, slot: Slot, old: unknown, value: unknown): Splice[] | null {
  return editInside(yaml, slot, old, value) ?? replaceValue(yaml, holder, slot, value)
}

function replaceValue(yaml: string, holder: Slots, slot: Slot, value: unknown): Splice[] | null {
  if (holder.flow) return replaceInFlow(slot, value, holder.kind)
  if (slot.mark < 0) return null
  const write = holder.kind === 'map' ? blockValue : itemValue
  const indent = slot.start - lineStart(yaml, slot.start)
  const sameLine = !yaml.slice(slot.mark, slot.valueStart).includes('\n')
  return sameLine
    ? replaceOnLine(yaml, slot, value, write(value, indent, slot.old))
    : replaceBelow(yaml, slot, write(value, indent, slot.old))
}

/** The old value begins on the line of its `:` or `-`, or there is none. */
function replaceOnLine(yaml: string, slot: Slot, value: unknown, written: string): Splice[] {
  const rest = yaml.slice(slot.end, lineStop(yaml, slot.end))
  // A comment behind the value keeps its line, so what comes must fit on that line as well.
  const text = rest.trim() !== '' && written.includes('\n') ? ` ${inlineValue(value, slot.old)}` : written
  if (slot.valueStart === slot.end) {
    const blanks = rest.trim() === '' ? rest.length : 0
    return [{ range: { start: slot.end, end: slot.end + blanks }, text }]
  }
  const keepsBlanks = text.startsWith(' ') && slot.valueStart > slot.mark
  const start = keepsBlanks ? slot.valueStart : slot.mark
  return [{ range: { start, end: slot.end }, text: keepsBlanks ? text.slice(1) : text }]
}

/** The old value is a block on the lines below; a comment on the key's own line stays. */
function replaceBelow(yaml: string, slot: Slot, written: string): Splice[] {
  const stop = lineStop(yaml, slot.mark)
  const end = lineStop(yaml, slot.end)
  const commented = yaml.slice(slot.mark, stop).trim() !== ''
  if (!commented) return [{ range: { start: slot.mark, end }, text: written }]
  if (written.startsWith('\n')) return [{ range: { start: stop, end }, text: written }]
  return [insertion(slot.mark, written.split('\n')[0]!), { range: { start: stop, end }, text: '' }]
}

function replaceInFlow(slot: Slot, value: unknown, kind: 'map' | 'list'): Splice[] {
  const text = flowValue(value, slot.old)
  if (slot.valueStart < slot.end) return [{ range: { start: slot.valueStart, end: slot.end }, text }]
  const lead = kind === 'map' && slot.mark < 0 ? ': ' : ' '
  return [insertion(slot.end, lead + text)]
}

function addPair(
  yaml: string,
  map: Slots,
  key: string,
  value: unknown,
  { atEnd }: { atEnd: boolean },
): Splice[] | null {
  const last = map.slots.at(-1)
  if (map.flow) {
    if (last === undefined) return null
    return [insertion(last.end, `${separator(yaml, map)}${flowValue(key)}: ${flowValue(value)}`)]
  }
  const first = map.slots[0]
  const indent = first === undefined ? 0 : first.start - lineStart(yaml, first.start)
  const line = `${' '.repeat(indent)}${keyText(key)}:${blockValue(value, indent)}`
  if (atEnd || last === undefined) return [insertion(yaml.length, `${line}\n`)]
  return [insertion(lineStop(yaml, last.end), `\n${line}`)]
}

/** Puts items before the `at`-th one. */
function insertItems(yaml: string, list: Slots, at: number, items: unknown[]): Splice[] | null {
  const before = list.slots[at - 1]
  const first = list.slots[0]!
  if (list.flow) {
    const comma = separator(yaml, list)
    const texts = items.map((item) => flowValue(item))
    if (before !== undefined) return [insertion(before.end, texts.map((text) => comma + text).join(''))]
    return [insertion(first.start, texts.map((text) => text + comma).join(''))]
  }
  const indent = first.start - lineStart(yaml, first.start)
  const lines = items.map((item) => `${' '.repeat(indent)}-${itemValue(item, indent)}`)
  if (before !== undefined) {
    return [insertion(lineStop(yaml, before.end), lines.map((line) => `\n${line}`).join(''))]
  }
  if (!startsItsLine(yaml, first)) return null
  return [insertion(lineStart(yaml, first.start), lines.map((line) => `${line}\n`).join(''))]
}

/** All items of a flow list for others: what stands around them stays. */
function replaceItems(yaml: string, list: Slots, items: unknown[]): Splice[] {
  const text = items.map((item) => flowValue(item)).join(separator(yaml, list))
  return [{ range: { start: list.slots[0]!.start, end: list.slots.at(-1)!.end }, text }]
}

/** Takes the entries `from` to `to` (not included) away. */
function removeRun(yaml: string, holder: Slots, from: number, to: number): Splice[] | null {
  const run = holder.slots.slice(from, to)
  if (!holder.flow) {
    if (!run.every((slot) => startsItsLine(yaml, slot))) return null
    return run.map((slot) => ({
      range: { start: lineStart(yaml, slot.start), end: nextLine(yaml, slot.end) },
      text: '',
    }))
  }
  const before = holder.slots[from - 1]
  const after = holder.slots[to]
  const last = run.at(-1)!
  if (before !== undefined) return [{ range: { start: before.end, end: last.end }, text: '' }]
  if (after !== undefined) return [{ range: { start: run[0]!.start, end: after.start }, text: '' }]
  return null
}

/** What stands between the entries of a flow collection: a comma and blanks, perhaps a line end. */
function separator(yaml: string, { slots }: Slots): string {
  const [first, second] = slots
  const between = first === undefined || second === undefined ? '' : yaml.slice(first.end, second.start)
  return /^\s*,\s*$/.test(between) ? between : ', '
}

function startsItsLine(yaml: string, slot: Slot): boolean {
  return yaml.slice(lineStart(yaml, slot.start), slot.start).trim() === ''
}

function collect(steps: readonly (Splice[] | null)[]): Splice[] | null {
  return steps.some((step) => step === null) ? null : steps.flatMap((step) => step ?? [])
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
