import { ALL_FIELDS, FIELDS, type FieldMask } from '../index/fields.ts'
import { closingQuote, isBlank, isBreak, isOpeningQuote } from './query_chars.ts'
import { type Clause, isFilter, narrows, type Query, type QueryNode } from './query_tree.ts'
import { phraseElements, unitsOf } from './query_units.ts'

/**
 * Reads a question. Every text is one: whatever is no syntax is words, and time is linear in its length.
 *
 * Words (any of them; more are better), `"a phrase"`, `"loosely so"~2`, `-without`, `+with`, `begins*`, AND OR NOT in
 * capitals, parentheses, `title:word` (also `aliases: headings: tags: frontmatter: body:`), and the filters
 * `tag:#a/b`, `path:"Folder/Sub"`, `[property:value]`.
 */
export function parseQuery(text: string): Query {
  const parser = new Parser(text.slice(0, LONGEST_TEXT))
  const root = parser.list(ALL_FIELDS, 0)
  const positive = root.must.length + root.should.length > 0
  return {
    text,
    root,
    hasWords: positive || root.not.length > 0,
    onlyNegative: !positive && root.not.length > 0,
    cut: parser.cut || text.length > LONGEST_TEXT,
  }
}

/** More words are no question any more, and each costs time. */
const MOST_WORDS = 256
const LONGEST_TEXT = 20_000
const DEEPEST = 24

type Sign = '+' | '-' | ''

interface Item {
  readonly sign: Sign
  readonly node: QueryNode
}

/**
 * A list is operands side by side; an operand is units joined by OR; a unit is atoms joined by AND; an atom may have a
 * sign or NOT before it. Nothing is looked at twice, except a quote's end.
 */
class Parser {
  cut = false
  private at = 0
  private words = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Everything up to the closing parenthesis (depth above 0) or the end. */
  list(fields: FieldMask, depth: number): Clause {
    const must: QueryNode[] = []
    const should: QueryNode[] = []
    const not: QueryNode[] = []
    for (;;) {
      this.skipBlanks(depth)
      if (this.at >= this.text.length) break
      if (this.text[this.at] === ')') {
        this.at++
        break
      }
      for (const { sign, node } of this.alternatives(fields, depth)) {
        if (sign === '-') not.push(node)
        else if (sign === '+' || narrows(node)) must.push(node)
        else should.push(node)
      }
    }
    return { kind: 'clause', must, should, not }
  }

  /** `a OR b`; a single operand keeps its sign, several are plain alternatives of which NOT still excludes. */
  private alternatives(fields: FieldMask, depth: number): Item[] {
    const first = this.conjunction(fields, depth)
    if (!this.operatorBeforeOperand('OR', depth)) return first
    const items = first
    do items.push(...this.conjunction(fields, depth))
    while (this.operatorBeforeOperand('OR', depth))
    const positive = items.filter(({ sign }) => sign !== '-').map(({ node }) => node)
    if (!positive.some(isFilter))
      return items.map((item) => (item.sign === '-' ? item : { ...item, sign: '' }))
    const either: Clause = { kind: 'clause', must: [], should: positive, not: [] }
    return [{ sign: '', node: either }, ...items.filter(({ sign }) => sign === '-')]
  }

  private conjunction(fields: FieldMask, depth: number): Item[] {
    const first = this.signed(fields, depth)
    if (!this.operatorBeforeOperand('AND', depth)) return first
    const items = first
    do items.push(...this.signed(fields, depth))
    while (this.operatorBeforeOperand('AND', depth))
    const must = items.filter(({ sign }) => sign !== '-').map(({ node }) => node)
    const not = items.filter(({ sign }) => sign === '-').map(({ node }) => node)
    if (must.length === 0) return items
    return [{ sign: '', node: { kind: 'clause', must, should: [], not } }]
  }

  /** An atom with what stands before it. Several items where one atom is several words (`-a,b`). */
  private signed(fields: FieldMask, depth: number): Item[] {
    let sign = this.readSign()
    while (this.operatorBeforeOperand('NOT', depth)) sign = '-'
    if (sign === '') sign = this.readSign()
    const nodes = this.atom(fields, depth)
    if (sign === '' || nodes.length <= 1) return nodes.map((node) => ({ sign, node }))
    return [{ sign, node: { kind: 'clause', must: nodes, should: [], not: [] } }]
  }

  private readSign(): Sign {
    const char = this.text[this.at]
    const next = this.text[this.at + 1]
    if ((char !== '-' && char !== '+') || next === undefined || next === char || isBlank(next)) return ''
    this.at++
    return char
  }

  private atom(fields: FieldMask, depth: number): QueryNode[] {
    const char = this.text[this.at]
    if (char === undefined || char === ')') return []
    if (char === '(') {
      this.at++
      if (depth >= DEEPEST) return []
      return simplified(this.list(fields, depth + 1))
    }
    if (char === '[') {
      const filter = this.propertyFilter()
      if (filter !== undefined) return [filter]
    }
    if (isOpeningQuote(char)) {
      const phrase = this.quoted()
      if (phrase !== undefined) return this.phrase(phrase, fields)
    }
    if (isBreak(this.text, this.at)) {
      this.at++
      return []
    }
    return this.chunk(fields, depth)
  }

  /** A piece without blanks: a word, or a field or filter with its colon. */
  private chunk(fields: FieldMask, depth: number): QueryNode[] {
    const start = this.at
    const named = NAME.exec(this.text.slice(start, start + LONGEST_NAME))
    if (named !== null && depth < DEEPEST) {
      const after = start + named[0].length
      const next = this.text[after]
      if (next !== undefined && !isBlank(next) && next !== ')') {
        const node = this.named(named[1]!.toLowerCase(), after, fields, depth)
        if (node !== undefined) return node
      }
    }
    while (this.at < this.text.length && (this.at === start || !isBreak(this.text, this.at))) this.at++
    const prefix = this.text[this.at - 1] === '*'
    return this.counted(unitsOf(this.text.slice(start, this.at), fields, prefix))
  }

  private named(name: string, after: number, fields: FieldMask, depth: number): QueryNode[] | undefined {
    if (name === 'tag' || name === 'path') {
      this.at = after
      const value = this.value()
      const tag = value.replace(/^#+/, '').replace(/\/+$/, '')
      if (name === 'tag') return tag === '' ? [] : [{ kind: 'tag', tag }]
      return value === '' ? [] : [{ kind: 'path', path: value }]
    }
    const field = fieldNamed(name)
    if (field === undefined) return undefined
    this.at = after
    return this.atom(fields & (1 << field), depth + 1)
  }

  /** What follows `tag:` or `path:`: quoted, or up to the next blank. */
  private value(): string {
    if (isOpeningQuote(this.text[this.at]!)) {
      const quoted = this.quoted()
      if (quoted !== undefined) return quoted.trim()
    }
    const start = this.at
    while (this.at < this.text.length && !isBlank(this.text[this.at]!) && this.text[this.at] !== ')')
      this.at++
    return this.text.slice(start, this.at)
  }

  private propertyFilter(): QueryNode | undefined {
    PROPERTY.lastIndex = this.at
    const found = PROPERTY.exec(this.text)
    if (found === null || this.text[this.at - 1] === '!') return undefined
    this.at = PROPERTY.lastIndex
    return { kind: 'property', property: unquoted(found[1]!), value: unquoted(found[2]!) }
  }

  /** The text up to the closing quote, which is passed; undefined where there is none: then the quote is no syntax. */
  private quoted(): string | undefined {
    const end = closingQuote(this.text, this.at)
    if (end < 0) return undefined
    const inside = this.text.slice(this.at + 1, end)
    this.at = end + 1
    return inside
  }

  private phrase(text: string, fields: FieldMask): QueryNode[] {
    SLOP.lastIndex = this.at
    const slop = SLOP.exec(this.text)
    if (slop !== null) this.at = SLOP.lastIndex
    const elements = phraseElements(text)
    if (elements.length === 0) return []
    const node: QueryNode = { kind: 'phrase', elements, slop: slop === null ? 0 : Number(slop[1]), fields }
    return this.counted([node])
  }

  private counted(nodes: QueryNode[]): QueryNode[] {
    const kept: QueryNode[] = []
    for (const node of nodes) {
      const room = MOST_WORDS - this.words
      this.words += cost(node)
      if (this.words > MOST_WORDS) this.cut = true
      if (room > 0) kept.push(shortened(node, room))
    }
    return kept
  }

  /** Passes an operator that has something after it to work on; one that has nothing is a word. */
  private operatorBeforeOperand(operator: 'AND' | 'OR' | 'NOT', depth: number): boolean {
    const start = this.at
    this.skipBlanks(depth)
    const end = this.at + operator.length
    if (this.text.startsWith(operator, this.at) && isOperatorEnd(this.text[end])) {
      this.at = end
      this.skipBlanks(depth)
      if (this.at < this.text.length && this.text[this.at] !== ')') return true
    }
    this.at = start
    return false
  }

  /** At the top a closing parenthesis closes nothing. */
  private skipBlanks(depth: number): void {
    for (;;) {
      const char = this.text[this.at]
      if (char === undefined || !(isBlank(char) || (depth === 0 && char === ')'))) return
      this.at++
    }
  }
}

const NAME = /^([a-z]+):/i
const LONGEST_NAME = 16
const PROPERTY = /\[([^\s[\]:"][^[\]:\n]{0,100}|"[^[\]:\n]{1,100}"):\s*([^[\]\n]{1,500}?)\s*\](?!\()/y
const SLOP = /~(\d{1,2})(?![\p{L}\p{N}])/uy

/** Other names under which people know the fields. */
const OTHER_NAMES: Readonly<Record<string, (typeof FIELDS)[number]>> = {
  alias: 'aliases',
  heading: 'headings',
  file: 'title',
  content: 'body',
}

function fieldNamed(name: string): number | undefined {
  const field = FIELDS.findIndex((known) => known === (OTHER_NAMES[name] ?? name))
  return field < 0 ? undefined : field
}

function isOperatorEnd(char: string | undefined): boolean {
  return char === undefined || isBlank(char) || char === '(' || isOpeningQuote(char)
}

function unquoted(text: string): string {
  return text.trim().replace(/^["'](.*)["']$/, '$1')
}

/** `(a)` is `a`, and `()` is nothing. */
function simplified(clause: Clause): QueryNode[] {
  const { must, should, not } = clause
  if (must.length + should.length + not.length === 0) return []
  if (not.length === 0 && must.length + should.length === 1) return [...must, ...should]
  return [clause]
}

/** The node with at most so many words. */
function shortened(node: QueryNode, most: number): QueryNode {
  if (cost(node) <= most) return node
  if (node.kind === 'phrase') return { ...node, elements: node.elements.slice(0, most) }
  if (node.kind === 'run') return { ...node, pairs: node.pairs.slice(0, most) }
  return node.kind === 'compound' ? { ...node, whole: null, parts: node.parts.slice(0, most) } : node
}

function cost(node: QueryNode): number {
  if (node.kind === 'phrase') return node.elements.length
  if (node.kind === 'run') return node.pairs.length
  return node.kind === 'compound' ? node.parts.length : 1
}
