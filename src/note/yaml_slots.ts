import type { CST, ParsedNode } from 'yaml'
import { yamlLibrary } from './yaml_library.ts'
import type { OldScalar } from './yaml_write.ts'

/** Where one pair of a mapping or one item of a list stands in the YAML text. Offsets count UTF-16 units. */
export interface Slot {
  /** The pair's key as text, `''` for a list item. */
  readonly name: string
  readonly node: ParsedNode | null
  /** The first character: of the key, of its `?`, of the `-`, or of a flow item. */
  readonly start: number
  /** After the `:` or the `-`; -1 where there is none (flow items, keys alone). */
  readonly mark: number
  /** The value, anchor and tag included; the same as `end` where there is no value. */
  readonly valueStart: number
  /** After the last character of the value; comments and blank lines after it are outside. */
  readonly end: number
  readonly old: OldScalar | undefined
}

export interface Slots {
  readonly kind: 'map' | 'list'
  readonly flow: boolean
  readonly slots: readonly Slot[]
}

/** The pairs or items of a collection in the order of the text; null for anything else. */
export function slotsOf(node: unknown): Slots | null {
  if (!yamlLibrary().isMap(node) && !yamlLibrary().isSeq(node)) return null
  const token = node.srcToken as CST.BlockMap | CST.BlockSequence | CST.FlowCollection | undefined
  if (token === undefined) return null
  const items = (token.items as CST.CollectionItem[]).filter(isReal)
  if (items.length !== node.items.length) return null
  const flow = token.type === 'flow-collection'
  const slots = yamlLibrary().isMap(node)
    ? node.items.map((pair, i) => pairSlot(items[i]!, pair.key, pair.value))
    : node.items.map((item, i) => itemSlot(items[i]!, item, flow))
  return { kind: yamlLibrary().isMap(node) ? 'map' : 'list', flow, slots }
}

/** Tokens also hold "items" that are nothing but a comment or the blanks after a last comma. */
function isReal(item: CST.CollectionItem): boolean {
  return (
    item.value != null ||
    item.key != null ||
    item.sep !== undefined ||
    item.start.some(({ type }) => type === 'seq-item-ind' || type === 'explicit-key-ind')
  )
}

function pairSlot(item: CST.CollectionItem, key: unknown, value: unknown): Slot {
  const sep = item.sep ?? []
  const colon = sep.find(({ type }) => type === 'map-value-ind')
  const first = item.start.find(isContent)
  const start = first?.offset ?? item.key?.offset ?? colon?.offset ?? 0
  const mark = colon === undefined ? -1 : colon.offset + 1
  const keyEnd = item.key == null ? start : tokenEnd(item.key)
  return {
    ...valuePlace(item.value, sep, mark < 0 ? keyEnd : mark),
    name: nameOf(key),
    node: (value ?? null) as ParsedNode | null,
    start,
    mark,
  }
}

function itemSlot(item: CST.CollectionItem, node: unknown, flow: boolean): Slot {
  const dash = item.start.find(({ type }) => type === 'seq-item-ind')
  const props = item.start.filter(isContent).filter((token) => token !== dash)
  // `[a: b]` is a list that holds a mapping without braces: its value ends where that pair ends.
  const token = item.key == null && item.sep === undefined ? item.value : null
  const start = dash?.offset ?? props[0]?.offset ?? item.key?.offset ?? item.value?.offset ?? 0
  const mark = dash === undefined ? -1 : dash.offset + 1
  const place =
    token == null && (item.key != null || item.sep !== undefined)
      ? { valueStart: start, end: pairSlot(item, null, null).end, old: undefined }
      : valuePlace(token, props, flow ? start : mark)
  return { ...place, name: '', node: (node ?? null) as ParsedNode | null, start, mark }
}

/** @param after offset that stands for a value which is not there */
function valuePlace(
  token: CST.Token | null | undefined,
  before: readonly CST.SourceToken[],
  after: number,
): Pick<Slot, 'valueStart' | 'end' | 'old'> {
  const props = before.filter(({ type }) => type === 'anchor' || type === 'tag')
  const last = props.at(-1)
  const end =
    token == null ? (last === undefined ? after : last.offset + last.source.length) : tokenEnd(token)
  const valueStart = props[0]?.offset ?? token?.offset ?? after
  return { valueStart, end, old: props.length > 0 ? undefined : oldScalar(token) }
}

function isContent({ type }: CST.SourceToken): boolean {
  return type !== 'space' && type !== 'newline' && type !== 'comment' && type !== 'comma'
}

/** After the last character of the token's content. */
function tokenEnd(token: CST.Token): number {
  switch (token.type) {
    case 'block-scalar': {
      const header = token.props.at(-1) as CST.SourceToken | undefined
      const body = header === undefined ? token.offset : header.offset + header.source.length
      const content = token.source.trimEnd().length
      const stop = token.source.indexOf('\n', content)
      if (content > 0) return body + (stop < 0 ? token.source.length : stop)
      const mark = (token.props as CST.SourceToken[]).find(({ type }) => type === 'block-scalar-header')
      return mark === undefined ? token.offset : mark.offset + mark.source.length
    }
    case 'block-map':
    case 'block-seq': {
      const item = (token.items as CST.CollectionItem[]).filter(isReal).at(-1)
      if (item === undefined) return token.offset
      return token.type === 'block-map' ? pairSlot(item, null, null).end : itemSlot(item, null, false).end
    }
    case 'flow-collection': {
      const close = token.end.find(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')
      return close === undefined ? token.offset + 1 : close.offset + 1
    }
    default:
      return 'source' in token ? token.offset + token.source.length : 0
  }
}

function oldScalar(token: CST.Token | null | undefined): OldScalar | undefined {
  switch (token?.type) {
    case 'scalar':
      return { style: 'plain', source: token.source }
    case 'single-quoted-scalar':
      return { style: 'single', source: token.source }
    case 'double-quoted-scalar':
      return { style: 'double', source: token.source }
    default:
      return undefined
  }
}

/** Keys that are no text go by what the file says. */
function nameOf(key: unknown): string {
  if (typeof key !== 'object' || key === null) return ''
  const { value, source } = key as { value?: unknown; source?: string }
  return typeof value === 'string' ? value : (source ?? '')
}
