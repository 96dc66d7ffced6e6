import type { IndexDocument } from '../note/note.ts'
import type { LanguageMask } from '../text/language.ts'
import { analyseInto, type FieldTarget } from './analyse.ts'
import { FIELD_BITS, postingKey } from './fields.ts'
import { buildGroupTable } from './group_table.ts'
import { growableUint8, growableUint32 } from './growable.ts'
import { mergeSegments } from './merge.ts'
import { encodePositions } from './positions.ts'
import { decodeSegment, encodeSegment, pathOf } from './segment.ts'
import { compareByCodePoint, packStrings, sortByCodePoint } from './string_table.ts'
import { TermTable } from './term_table.ts'

export interface BuildOptions {
  /** Tokens held as plain numbers before they are packed: 12 bytes each. */
  readonly tokensAtOnce?: number
  /** The languages whose word forms count in notes that name none themselves; null: guessed for each note. */
  readonly languages?: LanguageMask | null
}

/**
 * Indexes notes into the bytes of one segment: self-contained, versioned and checksummed, to be read by
 * `decodeSegment` in any process. Of two notes with one path the later one counts.
 */
export function buildSegment(docs: Iterable<IndexDocument>, options: BuildOptions = {}): Uint8Array {
  const builder = new SegmentBuilder(options)
  for (const doc of docs) builder.add(doc)
  return builder.finish()
}

/** {@link buildSegment} note by note: nothing of a note is kept but its words. */
export class SegmentBuilder {
  /** Tokens taken in since the beginning or the last {@link finish}. */
  tokens = 0
  private readonly tokensAtOnce: number
  private done: Uint8Array[] = []
  private readonly languages: LanguageMask | null
  private writer: SegmentWriter

  constructor({ tokensAtOnce = 8_000_000, languages = null }: BuildOptions = {}) {
    this.tokensAtOnce = tokensAtOnce
    this.languages = languages
    this.writer = new SegmentWriter(languages)
  }

  add(doc: IndexDocument): void {
    if (this.writer.has(doc.path) || this.writer.tokens >= this.tokensAtOnce) this.cut()
    const before = this.writer.tokens
    this.writer.add(doc)
    this.tokens += this.writer.tokens - before
  }

  /** Everything so far; what is added next goes into another segment. */
  finish(): Uint8Array {
    this.cut()
    const parts = this.done
    this.done = []
    this.tokens = 0
    return parts.length === 1 ? parts[0]! : joined(parts)
  }

  private cut(): void {
    this.done.push(this.writer.finish())
    this.writer = new SegmentWriter(this.languages)
  }
}

/** Puts partial segments together; where two hold one path, the later one wins. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const seen = new Set<string>()
  const sources = parts
    .map((bytes) => decodeSegment(bytes))
    .reverse()
    .map((segment) => {
      const dead = new Uint8Array(segment.docCount)
      for (let doc = 0; doc < segment.docCount; doc++) {
        const path = pathOf(segment, doc)
        if (seen.has(path)) dead[doc] = 1
        seen.add(path)
      }
      return { segment, dead }
    })
    .reverse()
  return mergeSegments(sources)
}

/** Takes notes in, gives one segment out, once. */
class SegmentWriter implements FieldTarget {
  private readonly pinned: LanguageMask | null
  private readonly ids = new TermTable()
  private readonly tokenTerms = growableUint32(1024)
  private readonly tokenPositions = growableUint32(1024)
  /** Where the tokens of one field of one note begin, and its posting key. */
  private readonly runStarts = growableUint32()
  private readonly runKeys = growableUint32()
  private readonly paths: string[] = []
  private readonly seen = new Set<string>()
  private readonly fieldLengths = growableUint32()
  private readonly docLanguages = growableUint32()
  /** Of the value that is being split. */
  private text = ''
  private base = 0
  /** Posting key of the tokens that come now. */
  private key = -1

  constructor(pinned: LanguageMask | null) {
    this.pinned = pinned
  }

  get tokens(): number {
    return this.tokenTerms.length
  }

  has(path: string): boolean {
    return this.seen.has(path)
  }

  add(doc: IndexDocument): void {
    const { lengths, languages } = analyseInto(doc, this, this.pinned)
    for (const length of lengths) this.fieldLengths.push(length)
    this.docLanguages.push(languages)
    this.paths.push(doc.path.toWellFormed())
    this.seen.add(doc.path)
  }

  open(field: number, text: string, base: number): void {
    this.text = text
    this.base = base
    const key = postingKey(this.paths.length, field)
    if (key === this.key) return
    this.key = key
    this.runStarts.push(this.tokenTerms.length)
    this.runKeys.push(key)
  }

  piece(start: number, end: number, position: number): void {
    this.tokenTerms.push(this.ids.idOfPiece(this.text, start, end))
    this.tokenPositions.push(this.base + position)
  }

  term(term: string, _start: number, _end: number, position: number): void {
    // A lone surrogate has no UTF-8 of its own: two such terms would be equal bytes in the dictionary.
    this.tokenTerms.push(this.ids.idOf(term.toWellFormed()))
    this.tokenPositions.push(this.base + position)
  }

  finish(): Uint8Array {
    const terms = sortByCodePoint(this.ids.strings())
    const postings = this.postings(terms)
    let languages = 0
    for (const mask of this.docLanguages.view()) languages |= mask
    const order = this.paths.map((_, doc) => doc)
    order.sort((a, b) => compareByCodePoint(this.paths[a]!, this.paths[b]!))
    return encodeSegment({
      docCount: this.paths.length,
      languages,
      terms: packStrings(terms),
      ...postings,
      fieldLengths: this.fieldLengths.view(),
      docLanguages: this.docLanguages.view(),
      paths: packStrings(this.paths),
      pathOrder: Uint32Array.from(order),
      ...buildGroupTable(terms, this.termLanguages(postings.termPostings, postings.keys)),
    })
  }

  /** Sorts tokens by term (they come note by note, so a counting sort keeps notes and positions in order) and packs them. */
  private postings(terms: readonly string[]) {
    const rank = new Uint32Array(terms.length)
    for (const [i, term] of terms.entries()) rank[this.ids.idOf(term)] = i
    const { starts, keys, positions } = this.sorted(rank)
    const termPostings = new Uint32Array(terms.length + 1)
    const frequencies = new Uint16Array(keys.length)
    const offsets = growableUint32(keys.length / 2)
    const packed = growableUint8(keys.length)
    let count = 0
    for (let term = 0; term < terms.length; term++) {
      termPostings[term] = count
      const end = starts[term + 1]!
      for (let from = starts[term]!; from < end; ) {
        const key = keys[from]!
        let to = from + 1
        while (to < end && keys[to] === key) to++
        offsets.push(packed.length)
        encodePositions(packed, positions, from, to)
        // Never ahead of what is still to be read: there are at most as many postings as tokens.
        keys[count] = key
        frequencies[count++] = Math.min(to - from, MOST_FREQUENCY)
        from = to
      }
    }
    termPostings[terms.length] = count
    offsets.push(packed.length)
    return {
      termPostings,
      keys: keys.subarray(0, count),
      frequencies: frequencies.subarray(0, count),
      positionOffsets: offsets.view(),
      positions: packed.view(),
    }
  }

  private sorted(rank: Uint32Array) {
    const tokenTerms = this.tokenTerms.view()
    const tokenPositions = this.tokenPositions.view()
    const starts = new Uint32Array(rank.length + 1)
    for (let i = 0; i < tokenTerms.length; i++) starts[rank[tokenTerms[i]!]! + 1]!++
    for (let i = 0; i < rank.length; i++) starts[i + 1]! += starts[i]!
    const next = starts.slice()
    const keys = new Uint32Array(tokenTerms.length)
    const positions = new Uint32Array(tokenTerms.length)
    const runs = this.runStarts.length
    for (let run = 0; run < runs; run++) {
      const key = this.runKeys.items[run]!
      const end = run + 1 < runs ? this.runStarts.items[run + 1]! : tokenTerms.length
      for (let i = this.runStarts.items[run]!; i < end; i++) {
        const at = next[rank[tokenTerms[i]!]!]!++
        keys[at] = key
        positions[at] = tokenPositions[i]!
      }
    }
    return { starts, keys, positions }
  }

  private termLanguages(termPostings: Uint32Array, keys: Uint32Array): Uint32Array {
    const out = new Uint32Array(termPostings.length - 1)
    const languages = this.docLanguages.view()
    for (let term = 0; term < out.length; term++) {
      let mask = 0
      for (let i = termPostings[term]!; i < termPostings[term + 1]!; i++)
        mask |= languages[keys[i]! >>> FIELD_BITS]!
      out[term] = mask
    }
    return out
  }
}

const MOST_FREQUENCY = 65_535
