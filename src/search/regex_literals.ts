/**
 * What a text must contain for a pattern to have any chance in it, so that most notes need not be matched, decoded or
 * even read. Sound by construction: whatever this reader of RE2 syntax does not know needs nothing.
 */

/** A piece of text; with `fold`, in any case, and `text` is lower case. */
export interface Literal {
  readonly text: string
  readonly fold: boolean
}

/** One of these stands in every text that the pattern matches; never empty, no literal is empty. */
export type Need = readonly Literal[]

/** @returns all of these needs hold wherever the pattern matches; empty where nothing can be said */
export function requiredLiterals(pattern: string): Need[] {
  try {
    const reader = new Reader(pattern)
    return needsOf(reader.alternation(false)).filter(isUseful)
  } catch (error) {
    if (error instanceof Unknown) return []
    throw error
  }
}

/** Thrown for syntax that this reader leaves to the engine. */
class Unknown extends Error {}

/** `exact`: the node matches these texts and no others. Otherwise `needs` holds for it. */
interface Node {
  readonly exact: readonly Literal[] | null
  readonly needs: readonly Need[]
}

const ANYTHING: Node = { exact: null, needs: [] }
const NOTHING: Node = { exact: [{ text: '', fold: false }], needs: [] }
const MOST_ALTERNATIVES = 16
const LONGEST = 64

function isUseful(need: Need): boolean {
  // Line ends may be unified, and bytes that are no UTF-8 replaced, before the engine sees a text.
  return need.every(({ text }) => !/[\r\n\ufffd\p{Cs}]/u.test(text))
}

function needsOf({ exact, needs }: Node): readonly Need[] {
  if (exact === null) return needs
  return exact.every(({ text }) => text !== '') ? [exact] : []
}

function sequence(items: readonly Node[]): Node {
  const needs: Need[] = []
  let run: readonly Literal[] = NOTHING.exact ?? []
  let whole = true
  for (const item of items) {
    const joined = item.exact === null ? null : join(run, item.exact)
    if (joined !== null) {
      run = joined
      continue
    }
    whole = false
    needs.push(...needsOf({ exact: run, needs: [] }))
    if (item.exact === null) needs.push(...item.needs)
    run = item.exact ?? NOTHING.exact ?? []
  }
  if (whole) return { exact: run, needs: [] }
  return { exact: null, needs: [...needs, ...needsOf({ exact: run, needs: [] })] }
}

function join(left: readonly Literal[], right: readonly Literal[]): Literal[] | null {
  if (left.length * right.length > MOST_ALTERNATIVES) return null
  const joined = left.flatMap((a) =>
    right.map((b) => {
      const fold = a.fold || b.fold
      return { text: fold ? foldText(a.text + b.text) : a.text + b.text, fold }
    }),
  )
  return joined.every(({ text }) => text.length <= LONGEST) ? joined : null
}

function choice(branches: readonly Node[]): Node {
  const [only] = branches
  if (branches.length === 1 && only !== undefined) return only
  const exact = branches.flatMap((branch) => branch.exact ?? [])
  if (branches.every((branch) => branch.exact !== null) && exact.length <= MOST_ALTERNATIVES) {
    return { exact, needs: [] }
  }
  const best = branches.map((branch) => strongest(needsOf(branch)))
  if (best.some((need) => need === null)) return ANYTHING
  const either = best.flatMap((need) => need ?? [])
  return either.length <= 2 * MOST_ALTERNATIVES ? { exact: null, needs: [either] } : ANYTHING
}

function strongest(needs: readonly Need[]): Need | null {
  const length = (need: Need) => Math.min(...need.map(({ text }) => text.length))
  return needs.reduce<Need | null>((a, b) => (a === null || length(b) > length(a) ? b : a), null)
}

/** Each character lower-cased by itself: `İ` and `ς` must not change their neighbours or the length. */
function foldText(text: string): string {
  return Array.from(text, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join('')
}

class Reader {
  readonly #pattern: string
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** Reads to the end of the group (its `)` stays) or of the pattern. Flags set inside end with it. */
  alternation(fold: boolean): Node {
    const branches: Node[][] = [[]]
    let folding = fold
    while (this.#at < this.#pattern.length) {
      const c = this.#pattern[this.#at]
      if (c === ')') {
        if (this.#depth === 0) throw new Unknown()
        break
      }
      if (c === '|') {
        this.#at++
        branches.push([])
        continue
      }
      const flags = this.#take(/\(\?([a-zA-Z-]*)\)/y)
      if (flags !== null) {
        folding = foldingAfter(flags[1] ?? '', folding)
        continue
      }
      branches.at(-1)?.push(...this.#quantified(folding))
    }
    return choice(branches.map(sequence))
  }

  #quantified(fold: boolean): Node[] {
    const atoms = this.#atom(fold)
    const times = this.#take(/(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y)
    const last = atoms.at(-1)
    if (times === null || last === undefined) return atoms
    // A second one is an error or a new meaning: the engine's business.
    if (/[*+?]/.test(this.#pattern[this.#at] ?? '')) throw new Unknown()
    const least = times[1] === undefined ? (times[0].startsWith('+') ? 1 : 0) : Number(times[1])
    const repeated: Node = least === 0 ? ANYTHING : { exact: null, needs: needsOf(last) }
    return [...atoms.slice(0, -1), repeated]
  }

  /** One atom, or several for `\Q…\E`; the quantifier after it belongs to the last. */
  #atom(fold: boolean): Node[] {
    const literals = this.#take(/\\Q([\s\S]*?)(?:\\E|$)/y)
    if (literals !== null) return Array.from(literals[1] ?? '', (c) => literal(c, fold))
    if (this.#take(/\^|\$|\\[bBAz]/y) !== null) return [NOTHING]
    if (this.#take(/\.|\\[dDsSwW]|\\[pP](?:\{[^}]*\}|[A-Z])/y) !== null) return [ANYTHING]
    if (this.#take(/\[\^?\]?(?:\[:\^?[a-z]+:\]|\\(?:[pPx]\{[^}]*\}|[^QE])|[^\]\\])*\]/y) !== null)
      return [ANYTHING]
    const open = this.#take(/\((?:\?(?:P?<[A-Za-z_]\w*>|([a-zA-Z-]*):))?/y)
    if (open !== null) return [this.#group(open[1] === undefined ? fold : foldingAfter(open[1], fold))]
    return [literal(this.#character(), fold)]
  }

  #group(fold: boolean): Node {
    this.#depth++
    const inner = this.alternation(fold)
    if (this.#take(/\)/y) === null) throw new Unknown()
    this.#depth--
    return inner
  }

  #character(): string {
    const hex = this.#take(/\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/y)
    if (hex !== null) {
      const code = Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
      if (code > 0x10ffff) throw new Unknown()
      return String.fromCodePoint(code)
    }
    const control = this.#take(/\\([aftnrv])/y)
    if (control !== null) return CONTROLS[control[1] ?? ''] ?? ''
    const escaped = this.#take(/\\([!-/:-@[-`{-~])/y)
    if (escaped !== null) return escaped[1] ?? ''
    const plain = this.#take(/[^\\[\]()*+?|^$.{}]/uy)
    if (plain === null) throw new Unknown()
    return plain[0]
  }

  #take(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#pattern)
    if (found === null || found[0] === '') return null
    this.#at = sticky.lastIndex
    return found
  }
}

const CONTROLS: Readonly<Record<string, string>> = {
  a: '\x07',
  f: '\f',
  t: '\t',
  n: '\n',
  r: '\r',
  v: '\v',
}

function literal(c: string, fold: boolean): Node {
  return { exact: [{ text: fold ? foldText(c) : c, fold }], needs: [] }
}

function foldingAfter(flags: string, before: boolean): boolean {
  if (!/^[imsU]*(?:-[imsU]+)?$/.test(flags)) throw new Unknown()
  const [on = '', off = ''] = flags.split('-')
  return off.includes('i') ? false : on.includes('i') || before
}
