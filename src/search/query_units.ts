import type { FieldMask } from '../index/fields.ts'
import { classOf, EMOJI, IDEOGRAPHIC, UNSPACED } from '../text/char_class.ts'
import { tokenize } from '../text/tokenize.ts'
import type { PhraseElement, QueryNode, Word } from './query_tree.ts'

/** Longer runs of ideographs are questions rather than names. */
const LONGEST_WHOLE_RUN = 4

/**
 * What a piece of a question without blanks asks for: usually one word; several where scripts meet (`JWT令牌`), since
 * nothing says that they belong together.
 * @param prefix it ended in `*`
 */
export function unitsOf(text: string, fields: FieldMask, prefix: boolean): QueryNode[] {
  const tokens = tokensOf(text)
  const units: QueryNode[] = []
  for (let from = 0; from < tokens.length; ) {
    const sort = sortOf(tokens[from]!)
    let to = from + 1
    while (to < tokens.length && sortOf(tokens[to]!) === sort) to++
    const piece = tokens.slice(from, to)
    const open = prefix && to === tokens.length
    if (sort === 'ideographs') units.push(...runsOf(piece, fields, open))
    else if (sort === 'letters') units.push(lettersUnit(piece, fields, open))
    else units.push(...piece.map(({ term }): Word => ({ kind: 'word', term, prefix: false, fields })))
    from = to
  }
  return units
}

/**
 * The words of a quoted text, each place once: of a whole identifier its parts, of ideographs the pairs; where
 * several terms stand at one place, the longest.
 */
export function phraseElements(text: string): PhraseElement[] {
  const tokens = tokensOf(text)
  const first = tokens[0]?.position ?? 0
  const elements: PhraseElement[] = []
  let pairAt = -1
  for (let from = 0; from < tokens.length; ) {
    const position = tokens[from]!.position
    let to = from + 1
    while (to < tokens.length && tokens[to]!.position === position) to++
    const token = tokenOfPlace(tokens.slice(from, to), tokens[to]?.start ?? text.length)
    // The last character of a run begins no pair of its own, and the pair before it holds it already.
    const held = isIdeographic(token) && !token.pair && pairAt === position - 1
    if (!held) elements.push({ term: token.term, offset: position - first, prefix: false })
    if (token.pair) pairAt = position
    from = to
  }
  return elements
}

function tokenOfPlace(tokens: readonly Token[], nextStart: number): Token {
  const own = tokens.filter((token) => token.pair || token.end <= nextStart)
  return (own.length > 0 ? own : tokens).reduce((a, b) => (b.term.length > a.term.length ? b : a))
}

interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
  readonly position: number
  /** Two ideographs: it follows its own first character at the same place. */
  readonly pair: boolean
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  tokenize(text, (term, start, end, position) => {
    const last = tokens.at(-1)
    const pair = last !== undefined && last.position === position && last.start === start && last.end < end
    tokens.push({ term, start, end, position, pair: pair && isIdeograph(term) })
  })
  return tokens
}

type Sort = 'letters' | 'ideographs' | 'unspaced' | 'emoji'

function sortOf(token: Token): Sort {
  const kind = classOf(token.term.codePointAt(0)!)
  if (kind & IDEOGRAPHIC) return 'ideographs'
  if (kind & UNSPACED) return 'unspaced'
  return kind & EMOJI ? 'emoji' : 'letters'
}

function isIdeographic(token: Token): boolean {
  return isIdeograph(token.term)
}

function lettersUnit(tokens: readonly Token[], fields: FieldMask, prefix: boolean): QueryNode {
  const whole = tokens[0]!
  const leaves = tokens.filter((token) => !tokens.some((other) => other !== token && covers(token, other)))
  const covered = tokens.every((token) => token === whole || covers(whole, token))
  const word = (term: string): Word => ({ kind: 'word', term, prefix, fields })
  if (leaves.length === 1) return word(covered ? whole.term : leaves[0]!.term)
  const parts = leaves
    .sort((a, b) => a.start - b.start)
    .map(({ term }, offset) => ({ term, offset, prefix: prefix && offset === leaves.length - 1 }))
  return { kind: 'compound', whole: covered ? word(whole.term) : null, parts, fields }
}

function covers(outer: Token, inner: Token): boolean {
  return (
    outer.start <= inner.start && inner.end <= outer.end && outer.end - outer.start > inner.end - inner.start
  )
}

/** Splits where no pair joins two characters: there the script changes. */
function runsOf(tokens: readonly Token[], fields: FieldMask, prefix: boolean): QueryNode[] {
  const runs: { singles: Token[]; pairs: Token[] }[] = []
  let pairAt = -1
  for (const token of tokens) {
    if (token.pair) {
      runs.at(-1)?.pairs.push(token)
      pairAt = token.position
    } else if (pairAt >= 0 && pairAt === token.position - 1) runs.at(-1)?.singles.push(token)
    else runs.push({ singles: [token], pairs: [] })
  }
  return runs.map((run) => runUnit(run.singles, run.pairs, fields, prefix))
}

function runUnit(
  singles: readonly Token[],
  pairs: readonly Token[],
  fields: FieldMask,
  prefix: boolean,
): QueryNode {
  if (pairs.length <= 1) return { kind: 'word', term: (pairs[0] ?? singles[0]!).term, prefix, fields }
  return {
    kind: 'run',
    characters: singles.map(({ term }) => term),
    pairs: pairs.map(({ term }) => term),
    whole: singles.length <= LONGEST_WHOLE_RUN,
    fields,
  }
}

/** Does a term begin with an ideograph, kana or Hangul? */
export function isIdeograph(term: string): boolean {
  return (classOf(term.codePointAt(0)!) & IDEOGRAPHIC) !== 0
}
