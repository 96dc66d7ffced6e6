import type { Document, LineCounter, ParsedNode, YAMLMap } from 'yaml'
import { yamlLibrary } from './yaml_library.ts'
import { readSimpleYaml } from './yaml_simple.ts'

/**
 * The one way in which properties are read: YAML 1.2 core (`on`, `yes`, `12:30` and dates stay text), `<<` is an
 * ordinary key. {@link readYaml} itself refuses duplicate keys.
 */
export const YAML_OPTIONS = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: 'error',
} as const

/** Uses of aliases in one block: bombs need many, and each use costs a walk over the block. */
const MAX_ALIAS_COUNT = 64

/** Values nested deeper than this are refused: plain data must survive recursion everywhere. */
const MAX_DEPTH = 64

export interface YamlProblem {
  readonly code: 'yaml_error' | 'template_placeholder'
  readonly message: string
  /** From 1, within the YAML text. */
  readonly line: number
}

/** One text among the values, and where it stands. */
export interface YamlText {
  /** Key of the mapping, further keys after dots; items of a list have the list's. */
  readonly property: string
  readonly value: string
  /** As written, quotes included; offsets in the YAML text. */
  readonly start: number
  readonly end: number
  /** `|` stands for both block forms. */
  readonly quote: '' | '"' | "'" | '|'
}

/**
 * What a YAML text holds. `data` is plain JSON: numbers that JSON cannot carry exactly (beyond 2^53, `.inf`, `.nan`)
 * are given as the text in the file, and so are template placeholders (`{{date}}`, which YAML reads as a mapping).
 */
export type YamlReading = {
  readonly texts: readonly YamlText[]
  readonly problems: readonly YamlProblem[]
} & (
  | { readonly kind: 'empty' | 'mapping'; readonly data: Record<string, unknown> }
  | { readonly kind: 'other' | 'broken'; readonly data: null }
)

/** Reads one YAML text. Never throws. */
export function readYaml(text: string): YamlReading {
  const simple = readSimpleYaml(text)
  if (simple === null) return readAnyYaml(text)
  const kind = Object.keys(simple.data).length === 0 ? 'empty' : 'mapping'
  return { kind, data: simple.data, texts: simple.texts, problems: [] }
}

/** {@link readYaml} by the library alone. */
export function readAnyYaml(text: string): YamlReading {
  try {
    return readDocument(text)
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error), 1)
  }
}

function readDocument(text: string): YamlReading {
  const { isMap, isScalar, LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter: lines })
  const fault = document.errors[0]
  if (fault !== undefined) return brokenAt(fault.message, fault.pos[0], lines)
  const top = document.contents
  if (top === null || (isScalar(top) && top.source === '' && top.tag === undefined)) {
    return { kind: 'empty', data: {}, texts: [], problems: [] }
  }
  if (!isMap(top)) return { kind: 'other', data: null, texts: [], problems: [] }
  const problems: YamlProblem[] = []
  const texts: YamlText[] = []
  const refusal = makePlain(document, text, {
    text: (found) => texts.push(found),
    placeholder: (offset, message) =>
      problems.push({ code: 'template_placeholder', message, line: lines.linePos(offset).line }),
  })
  if (refusal !== null) return brokenAt(refusal.message, refusal.offset, lines)
  return { kind: 'mapping', data: document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }), texts, problems }
}

function broken(message: string, line: number): YamlReading {
  return { kind: 'broken', data: null, texts: [], problems: [{ code: 'yaml_error', message, line }] }
}

function brokenAt(message: string, offset: number, lines: LineCounter): YamlReading {
  const { line, col } = lines.linePos(offset)
  return broken(`${message} (column ${col})`, Math.max(1, line))
}

/**
 * Replaces what has no plain JSON value by its source text.
 * @returns why the document is refused all the same, or null
 */
function makePlain(
  document: Document.Parsed,
  text: string,
  found: { text(text: YamlText): void; placeholder(offset: number, message: string): void },
): { message: string; offset: number } | null {
  const { isCollection, isMap, visit } = yamlLibrary()
  let refusal: { message: string; offset: number } | null = null
  let aliases = 0
  const refuse = (message: string, node: unknown) => {
    refusal ??= { message, offset: (node as ParsedNode).range?.[0] ?? 0 }
    return visit.BREAK
  }
  visit(document, {
    Collection(_, node, path) {
      if (path.length > MAX_DEPTH && path.filter(isCollection).length > MAX_DEPTH)
        return refuse(`Values are nested more than ${MAX_DEPTH} deep`, node)
      if (!isMap(node)) return undefined
      const twice = repeatedKey(node)
      if (twice !== null) return refuse('Map keys must be unique', twice)
      if (node === document.contents || !node.items.some((pair) => isCollection(pair.key))) return undefined
      const [start, end] = (node as unknown as ParsedNode).range
      const source = text.slice(start, end)
      found.placeholder(start, `${source} is read as text, not as a value`)
      return document.createNode(source)
    },
    Alias(_, alias, path) {
      if (++aliases > MAX_ALIAS_COUNT) return refuse(`There are more than ${MAX_ALIAS_COUNT} aliases`, alias)
      // An alias within its own anchor would make a cycle.
      const target = alias.resolve(document)
      if (target !== undefined && path.includes(target))
        return refuse(`*${alias.source} contains itself`, alias)
      return undefined
    },
    Scalar(key, scalar, path) {
      if (typeof scalar.value !== 'string' && (key === 'key' || !isExact(scalar.value))) {
        scalar.value = scalar.source ?? String(scalar.value)
      }
      if (key === 'key' || typeof scalar.value !== 'string') return
      const [start, end] = (scalar as unknown as ParsedNode).range ?? [-1, -1]
      if (start < 0) return
      found.text({ property: propertyOf(path), value: scalar.value, start, end, quote: quoteOf(scalar.type) })
    },
  })
  return refusal
}

function propertyOf(path: readonly unknown[]): string {
  const keys: string[] = []
  for (const node of path)
    if (yamlLibrary().isPair(node) && yamlLibrary().isScalar(node.key)) keys.push(String(node.key.value))
  return keys.join('.')
}

function quoteOf(type: string | undefined): YamlText['quote'] {
  if (type === 'QUOTE_DOUBLE') return '"'
  if (type === 'QUOTE_SINGLE') return "'"
  return type === 'PLAIN' ? '' : '|'
}

/** Our own check: the one of `yaml` compares every pair of keys (4 s for 20,000 of them). */
function repeatedKey(map: YAMLMap): unknown {
  const seen = new Set<unknown>()
  for (const { key } of map.items) {
    const name = yamlLibrary().isScalar(key)
      ? typeof key.value === 'string'
        ? key.value
        : (key.source ?? '')
      : key
    if (seen.has(name)) return key
    seen.add(name)
  }
  return null
}

function isExact(value: unknown): boolean {
  if (typeof value !== 'number') return value === null || typeof value === 'boolean'
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value))
}
