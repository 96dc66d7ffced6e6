import type { VaultPath } from '../note/path.ts'
import { fold } from '../text/fold.ts'
import { isUnspaced, WordList } from './word_list.ts'

export interface HeadingFact {
  readonly text: string
  /** From 1. */
  readonly line: number
}

interface WithHeadings {
  readonly path: VaultPath
  /** The same array for as long as the note is unchanged: what is derived from it is kept beside it. */
  readonly headings: readonly HeadingFact[]
}

export interface HeadingHit<N extends WithHeadings> {
  readonly note: N
  readonly heading: HeadingFact
  /** 0 to 1: how much of the heading the query is; halved where a typo was forgiven. */
  readonly quality: number
}

/**
 * The words of all headings, and which notes have them. What a note has had before stays in here and is passed over;
 * when that becomes more than what counts, all is put together anew.
 */
export class HeadingFinder<N extends WithHeadings> {
  #known = new WeakMap<readonly HeadingFact[], Known>()
  /** Notes by word, ascending numbers. */
  #holders = new Map<string, number[]>()
  #words = new WordList()
  #count = 0
  #last: { readonly notes: readonly N[]; readonly byId: readonly (N | undefined)[] } | null = null

  /** Does ahead of the first question what it would otherwise do. */
  prepare(headings: readonly HeadingFact[]): Known {
    const before = this.#known.get(headings)
    if (before !== undefined) return before
    const text = headings.map((heading) => searchable(heading.text.replaceAll('\n', ' '))).join('\n')
    const known = { id: this.#count++, text }
    this.#known.set(headings, known)
    for (const word of new Set(wordsOf(text))) {
      const notes = this.#holders.get(word)
      if (notes === undefined) this.#holders.set(word, [known.id])
      else notes.push(known.id)
      this.#words.add(word)
    }
    return known
  }

  /**
   * Each note's best heading in which every word of the query begins a word.
   * @param notes all there are; the same array for as long as nothing has changed
   * @param forgiving where no note has such a heading, forgive one or two typos a word
   */
  hits(query: string, notes: readonly N[], { forgiving }: { forgiving: boolean }): HeadingHit<N>[] {
    const words = wordsOf(searchable(query))
    if (words.length === 0) return []
    const byId = this.#numbered(notes)
    const exact = words.map((word) => ({ begins: this.#words.beginning(word), near: NONE }))
    const hits = this.#look(exact, words, byId)
    if (hits.length > 0 || !forgiving) return hits
    const near = words.map((word, i) => ({ ...exact[i]!, near: this.#near(word) }))
    return this.#look(near, words, byId)
  }

  #numbered(notes: readonly N[]): readonly (N | undefined)[] {
    if (this.#last?.notes !== notes)
      this.#last = { notes, byId: this.#number(notes.filter(({ headings }) => headings.length > 0)) }
    return this.#last.byId
  }

  #number(notes: readonly N[]): (N | undefined)[] {
    for (const { headings } of notes) this.prepare(headings)
    if (this.#count > 2 * notes.length + SPARE) {
      this.#known = new WeakMap()
      this.#holders = new Map()
      this.#words = new WordList()
      this.#count = 0
      for (const { headings } of notes) this.prepare(headings)
    }
    const byId = new Array<N | undefined>(this.#count)
    for (const note of notes) byId[this.prepare(note.headings).id] = note
    return byId
  }

  #near(word: string): Set<string> {
    return new Set(this.#words.near(word).map(({ word: other }) => other))
  }

  #look(forms: readonly Forms[], words: readonly string[], byId: readonly (N | undefined)[]) {
    const hits: HeadingHit<N>[] = []
    for (const id of this.#notesWithAll(forms)) {
      const note = byId[id]
      const hit = note === undefined ? null : this.#bestHeading(note, forms, words)
      if (hit !== null) hits.push(hit)
    }
    return hits
  }

  #notesWithAll(forms: readonly Forms[]): Set<number> {
    let left: Set<number> | null = null
    for (const { begins, near } of forms) {
      const having = new Set<number>()
      for (const word of [...begins, ...near])
        for (const id of this.#holders.get(word) ?? []) if (left === null || left.has(id)) having.add(id)
      left = having
    }
    return left ?? new Set()
  }

  #bestHeading(note: N, forms: readonly Forms[], words: readonly string[]): HeadingHit<N> | null {
    let best: HeadingHit<N> | null = null
    for (const [i, line] of this.prepare(note.headings).text.split('\n').entries()) {
      const quality = qualityOf(words, forms, line)
      const heading = note.headings[i]
      if (heading !== undefined && quality > (best?.quality ?? 0)) best = { note, heading, quality }
    }
    return best
  }
}

interface Known {
  readonly id: number
  /** A line for each heading. */
  readonly text: string
}

/** The words of headings that a word of the query means. */
interface Forms {
  readonly begins: readonly string[]
  readonly near: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()
/** Numbers that may be out of use before all is put together anew, beside as many as are in use. */
const SPARE = 1000

function searchable(text: string): string {
  return fold(text.normalize('NFKC').toLowerCase())
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

function qualityOf(words: readonly string[], forms: readonly Forms[], line: string): number {
  let least = 1
  let matched = 0
  for (const [i, word] of words.entries()) {
    const fit = fitOf(word, forms[i]!.near, line)
    if (fit === 0) return 0
    least = Math.min(least, fit)
    matched += word.length
  }
  return least * Math.min(1, matched / Math.max(1, line.length))
}

function fitOf(word: string, near: ReadonlySet<string>, line: string): number {
  if (beginsIn(word, line)) return 1
  return near.size > 0 && wordsOf(line).some((own) => near.has(own)) ? 0.5 : 0
}

function beginsIn(word: string, line: string): boolean {
  const anywhere = isUnspaced(word)
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    if (anywhere || at === 0 || !/[\p{L}\p{N}]/u.test(line[at - 1] ?? '')) return true
  }
  return false
}
