import type { Node, ParseError } from 'jsonc-parser'
import { jsonTree } from './json_tree.ts'
import { NO_FACTS } from './no_facts.ts'
import type { IndexDocument, LinkFact, NoteFacts, Problem } from './note.ts'
import { parseNote } from './parse.ts'
import { baseName, type VaultPath } from './path.ts'

/**
 * What a canvas (JSON Canvas 1.0) says: its file cards are links (`property` is `file`, the target the whole path),
 * and text cards hold links as notes do. Lines are those of the JSON text. Never throws: what is no canvas has a
 * problem and is searched as plain text.
 * @returns `document.body` is the JSON with all but the cards' texts blanked out, so that its offsets are the file's
 */
export function canvasFacts(path: VaultPath, text: string): { facts: NoteFacts; document: IndexDocument } {
  const bom = text.startsWith('\ufeff') ? 1 : 0
  // The application makes a new canvas as an empty file.
  const isNew = text.slice(bom).trim() === ''
  const errors: ParseError[] = []
  // Deep nesting would overflow the reader's stack; no canvas nests deeper than its nodes' keys.
  const root =
    nestingOf(text) > MAX_DEPTH
      ? undefined
      : jsonTree().parseTree(bom === 0 ? text : ` ${text.slice(1)}`, errors)
  const cards = cardsOf(root)
  const lineAt = lineCounter(text)
  const links = cards.flatMap((card) => linksOf(card, lineAt))
  const body = root === undefined ? text.slice(bom) : bodyOf(text, cards).slice(bom)
  return {
    facts: {
      ...NO_FACTS,
      title: baseName(path),
      links,
      problems: isNew ? [] : problemsOf(root, errors, lineAt),
    },
    document: {
      path,
      title: baseName(path),
      aliases: [],
      headings: [],
      tags: [],
      frontmatter: '',
      body,
      bodyStart: bom,
      language: undefined,
    },
  }
}

const MAX_DEPTH = 100

/** The strings of one card that mean something, with their places. */
interface Card {
  readonly file: Node | undefined
  readonly subpath: Node | undefined
  /** A text card's text, a group's label. */
  readonly words: readonly Node[]
}

function cardsOf(root: Node | undefined): Card[] {
  const nodes = root === undefined ? undefined : memberOf(root, 'nodes')
  if (nodes?.type !== 'array') return []
  return (nodes.children ?? []).map((card) => {
    const type = stringOf(memberOf(card, 'type'))
    const isString = (node: Node | undefined): node is Node => node?.type === 'string'
    const file = type === 'file' ? memberOf(card, 'file') : undefined
    return {
      file: isString(file) ? file : undefined,
      subpath: memberOf(card, 'subpath'),
      words: [type === 'text' ? memberOf(card, 'text') : undefined, memberOf(card, 'label')].filter(isString),
    }
  })
}

function linksOf({ file, subpath, words }: Card, lineAt: (offset: number) => number): LinkFact[] {
  const inText = words.flatMap((node) =>
    parseNote(jsonTree().getNodeValue(node)).links.map(
      ({ kind, raw, target, fragment, display }): LinkFact => ({
        kind,
        raw,
        target,
        fragment,
        display,
        line: lineAt(node.offset),
        property: null,
      }),
    ),
  )
  if (file === undefined) return inText
  const target: string = jsonTree().getNodeValue(file)
  const fragment = stringOf(subpath)?.replace(/^#/, '') || null
  const raw = fragment === null ? target : `${target}#${fragment}`
  return [
    { kind: 'embed', raw, target, fragment, display: null, line: lineAt(file.offset), property: 'file' },
    ...inText,
  ]
}

function memberOf(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined
  // The last of several equal keys counts, as for JSON.parse.
  return node.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1]
}

function stringOf(node: Node | undefined): string | undefined {
  return node?.type === 'string' ? jsonTree().getNodeValue(node) : undefined
}

function bodyOf(text: string, cards: readonly Card[]): string {
  const parts: string[] = []
  let cursor = 0
  const words = cards.flatMap((card) => card.words).sort((a, b) => a.offset - b.offset)
  for (const { offset, length } of words) {
    parts.push(blanked(text.slice(cursor, offset)), unescaped(text.slice(offset, offset + length)))
    cursor = offset + length
  }
  parts.push(blanked(text.slice(cursor)))
  return parts.join('')
}

/** Same length, line ends kept. */
function blanked(text: string): string {
  return text.replace(/[^\r\n]+/g, (run) => ' '.repeat(run.length))
}

/** The words of a JSON string in its own length: quotes and the marks of escapes are blanks. */
function unescaped(literal: string): string {
  const inner = literal.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (written, hex, char) => {
    const meant: string =
      hex === undefined ? ('"\\/'.includes(char) ? char : ' ') : String.fromCharCode(Number.parseInt(hex, 16))
    return (/[\ud800-\udfff\s]/.test(meant) ? ' ' : meant).padEnd(written.length)
  })
  return ` ${inner} `
}

function problemsOf(
  root: Node | undefined,
  errors: readonly ParseError[],
  lineAt: (offset: number) => number,
): Problem[] {
  const [first] = errors
  if (first !== undefined) {
    const message = `The canvas is no valid JSON: ${jsonTree().printParseErrorCode(first.error)}.`
    return [{ code: 'bad_canvas', message, line: lineAt(first.offset) }]
  }
  if (root?.type === 'object') return []
  return [{ code: 'bad_canvas', message: 'The canvas is no JSON object that can be read.', line: 1 }]
}

/** The deepest nesting of brackets, those inside strings not counted. */
function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString && char === '\\') i++
    else if (char === '"') inString = !inString
    else if (inString) continue
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth)
    else if (char === ']' || char === '}') depth--
  }
  return deepest
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}
