import type { Frontmatter, FrontmatterKind, Problem, TextRange } from './note.ts'
import { readYaml, type YamlText } from './yaml.ts'

/** Characters of YAML that are read; what is longer is a broken block, whatever it says. */
export const MAX_YAML = 256 * 1024

/**
 * Finds and reads the property block. It exists only where the first line (after a byte-order mark) is exactly
 * `---`, a later line is exactly `---` or `...`, blanks after either allowed, and what stands between is a mapping
 * or nothing. Never throws; linear in the length of the block.
 */
export function scanFrontmatter(text: string): Frontmatter {
  return scanBlock(text).frontmatter
}

/** {@link scanFrontmatter} with the texts among the values; their offsets count from the start of `yaml`. */
export function scanBlock(text: string): { frontmatter: Frontmatter; texts: readonly YamlText[] } {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const first = fenceEnd(text, start)
  if (first < 0) return without('absent', start, [])
  const close = closingFence(text, first)
  if (close === null) return unclosed(text, start, first)
  const block = { start, end: close.end }
  const yaml = { start: first, end: close.start }
  if (yaml.end - yaml.start > MAX_YAML) return tooLarge(block, yaml)
  const { kind, data, texts, problems } = readYaml(text.slice(yaml.start, yaml.end))
  if (kind === 'other') {
    const message = 'What stands between the fences at the top is no mapping: it is read as body.'
    return without('other', start, [{ code: 'frontmatter_not_mapping', message, line: 1 }])
  }
  const inNote = problems.map((problem) => ({ ...problem, line: problem.line + 1 }))
  return { frontmatter: { kind, block, yaml, bodyStart: block.end, data, problems: inNote }, texts }
}

/** Where the body begins, where it is known already what its property block is: nothing is parsed. */
export function bodyStartOf(text: string, kind: FrontmatterKind): number {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  if (kind === 'absent' || kind === 'other') return start
  const first = fenceEnd(text, start)
  return (first < 0 ? null : closingFence(text, first))?.end ?? start
}

type Scan = ReturnType<typeof scanBlock>

function without(kind: 'absent' | 'other' | 'broken', bodyStart: number, problems: Problem[]): Scan {
  return { frontmatter: { kind, block: null, yaml: null, bodyStart, data: null, problems }, texts: [] }
}

function tooLarge(block: TextRange, yaml: TextRange): Scan {
  const message = `The properties are longer than ${MAX_YAML} characters.`
  const problems = [{ code: 'frontmatter_too_large', message, line: 1 }]
  return {
    frontmatter: { kind: 'broken', block, yaml, bodyStart: block.end, data: null, problems },
    texts: [],
  }
}

/** A block that never closes is broken where it looks like one; a `---` above prose is a rule. */
function unclosed(text: string, start: number, first: number): Scan {
  if (!looksLikeProperties(text, first)) return without('absent', start, [])
  return without('broken', start, [
    { code: 'frontmatter_unclosed', message: 'The property block has no closing --- line.', line: 1 },
  ])
}

/** Is the first line after the fence that is no comment a `key:`? */
function looksLikeProperties(text: string, at: number): boolean {
  return /^(?:#.*(?:\r?\n|$))*(?:[^\s#:][^:\r\n]*|"[^"\r\n]*"|'[^'\r\n]*'):(?:\s|$)/.test(
    text.slice(at, at + 4096),
  )
}

/** Offset after the line of a `---` at `at` (its line end included), or -1 where it is no fence. */
function fenceEnd(text: string, at: number): number {
  return text.startsWith('---', at) ? blankLineEnd(text, at + 3) : -1
}

/** Offset after the line end where only blanks follow `at` in its line, else -1. */
function blankLineEnd(text: string, at: number): number {
  let end = at
  while (text[end] === ' ' || text[end] === '\t') end++
  if (end === text.length) return end
  if (text[end] === '\n') return end + 1
  if (text[end] === '\r') return text[end + 1] === '\n' ? end + 2 : -1
  return -1
}

/** The first closing line from the line start `from` on. */
function closingFence(text: string, from: number): TextRange | null {
  for (let at = from; at < text.length; ) {
    if (text.startsWith('---', at) || text.startsWith('...', at)) {
      const end = blankLineEnd(text, at + 3)
      if (end >= 0) return { start: at, end }
    }
    const next = text.indexOf('\n', at)
    if (next < 0) return null
    at = next + 1
  }
  return null
}
