import { parseHeadingText } from './markdown/grammar.ts'
import type { SyntaxNode } from './markdown/tree.ts'

/** Longer headings are shown as written: pairing emphasis is quadratic. */
const MAX_RENDERED = 4096

/**
 * A heading as a reader sees it: marks, tags of HTML and comments dropped, links by their text, escapes and the
 * common entities resolved. A block id at its end belongs to no text.
 */
export function renderHeading(raw: string): string {
  const text = raw.replace(/(?:^|\s)\^[A-Za-z0-9-]+$/, '')
  if (text.length > MAX_RENDERED || !/[\\`*_~[\]<&=%]/.test(text)) return tidy(text)
  return tidy(render(text, parseHeadingText(text), 0, text.length))
}

/** A setext heading of several lines is one line. */
function tidy(text: string): string {
  if (!text.includes('\n')) return text.trim()
  const lines = text.split('\n').map((line) => line.trim())
  return lines.join(' ').trim()
}

function render(text: string, nodes: readonly SyntaxNode[], from: number, to: number): string {
  let shown = ''
  let at = from
  for (const node of nodes) {
    shown += text.slice(at, node.from) + renderNode(text, node)
    at = node.to
  }
  return shown + text.slice(at, to)
}

function renderNode(text: string, node: SyntaxNode): string {
  const written = text.slice(node.from, node.to)
  switch (node.name) {
    case 'WikiLink':
    case 'WikiEmbed':
      return shownLink(written)
    case 'Escape':
      return written.slice(1)
    case 'Entity':
      return ENTITIES[written.toLowerCase()] ?? written
    case 'InlineCode':
      return codeText(written, node)
    case 'Link':
    case 'Image':
      return linkText(text, node)
    case 'Autolink':
      return written.slice(1, -1)
    case 'Emphasis':
    case 'StrongEmphasis':
    case 'Strikethrough':
    case 'Highlight':
      return render(text, node.children, node.from, node.to)
    case 'EmphasisMark':
    case 'StrikethroughMark':
    case 'HighlightMark':
    case 'HTMLTag':
    case 'Comment':
    case 'ProcessingInstruction':
    case 'InlineComment':
      return ''
    default:
      return written
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

/** `[[a#b|c]]` shows `c`, `[[a#b]]` shows `a > b`. */
function shownLink(written: string): string {
  const inner = written.slice(written.indexOf('[[') + 2, -2)
  const pipe = inner.indexOf('|')
  return pipe >= 0 ? inner.slice(pipe + 1) : inner.split('#').filter(Boolean).join(' > ')
}

function codeText(written: string, node: SyntaxNode): string {
  const mark = node.children[0]!.to - node.children[0]!.from
  const code = written.slice(mark, -mark)
  return /^ .*[^ ].* $/s.test(code) ? code.slice(1, -1) : code
}

/** What stands between the first bracket and its partner; the address and title after it are not shown. */
function linkText(text: string, node: SyntaxNode): string {
  const marks = node.children.filter((child) => child.name === 'LinkMark')
  const [open, close] = marks
  if (open === undefined || close === undefined) return text.slice(node.from, node.to)
  // `[x]` alone is a reference that may have no definition: then the brackets are text.
  if (node.to === close.to) {
    const inner = node.children.filter((child) => child !== open && child !== close)
    return (
      text.slice(node.from, open.to) +
      render(text, inner, open.to, close.from) +
      text.slice(close.from, close.to)
    )
  }
  const inner = node.children.filter((child) => child.from >= open.to && child.to <= close.from)
  return render(text, inner, open.to, close.from)
}
