import MiniSearch from 'minisearch'
import { folderOf, stemOf, type VaultPath } from '../note/path.ts'
import { fold } from '../text/fold.ts'
import { byCodePoint } from '../text/order.ts'
import { tokenize } from '../text/tokenize.ts'
import { type HeadingFact, HeadingFinder, type HeadingHit } from './find_heading.ts'
import { type Near, WordList } from './word_list.ts'

/** What the quick switcher knows of a note. */
export interface SwitcherNote {
  readonly path: VaultPath
  /** Milliseconds since 1970. */
  readonly mtimeMs: number
  readonly aliases: readonly string[]
  readonly headings: readonly HeadingFact[]
}

export interface FoundNote {
  readonly path: VaultPath
  readonly title: string
  readonly matched: 'name' | 'alias' | 'heading' | 'recent'
  /** The name, alias or heading that matched. */
  readonly text: string
  /** Of the heading, from 1; null for the others. */
  readonly line: number | null
  /** 0 to 1; comparable within one answer only. */
  readonly score: number
  /** Last change, ISO 8601 in UTC. */
  readonly modified: string
}

/**
 * Finds notes by the beginnings of words in their names, aliases and headings, forgiving typos.
 *
 * Names and aliases are in MiniSearch, built at the first question. Headings are not: 50,000 of them cost MiniSearch
 * 4 s and 250 MB.
 */
export class QuickSwitcher {
  readonly #notes: () => Iterable<SwitcherNote>
  readonly #headings = new HeadingFinder<SwitcherNote>()
  /** Every word of the names that MiniSearch holds: it looks for near ones several times as long. */
  readonly #words = new WordList()
  #index: MiniSearch<NameDocument> | null = null
  #building: Promise<MiniSearch<NameDocument>> | null = null
  /** As they are now; null where something has changed since they were asked for. */
  #known: { readonly all: readonly SwitcherNote[]; readonly byPath: Map<VaultPath, SwitcherNote> } | null =
    null
  /** Changed while the index was being built. */
  readonly #touched = new Set<VaultPath>()

  /** @param notes every note as it is now; asked anew after each change */
  constructor(notes: () => Iterable<SwitcherNote>) {
    this.#notes = notes
  }

  /** A note is new or has changed. Costs nothing before the first question. */
  put(note: Pick<SwitcherNote, 'path' | 'aliases'>): void {
    this.remove(note.path)
    if (this.#index !== null) this.#add(this.#index, note)
  }

  remove(path: VaultPath): void {
    this.#known = null
    if (this.#building !== null) this.#touched.add(path)
    if (this.#index?.has(path)) this.#index.discard(path)
  }

  /** Best first; an empty query answers the notes that changed last. */
  async find(query: string, limit: number): Promise<FoundNote[]> {
    const words = wordsOf(query)
    if (words.length === 0) return query.trim() === '' ? this.recent(limit) : []
    const index = this.#index ?? (await (this.#building ??= this.#build()))
    const { all, byPath } = this.#now()
    const best = new Map<VaultPath, Ranked>()
    const offer = (ranked: Ranked) => {
      const before = best.get(ranked.note.path)
      if (before === undefined || ranked.rank > before.rank) best.set(ranked.note.path, ranked)
    }
    const names = this.#searchNames(index, query)
    for (const { id, score } of names.results) {
      const note = byPath.get(id)
      if (note !== undefined) offer(rankName(note, { query, score, tier: names.tier }))
    }
    const forgiving = names.tier === TIERS.some
    for (const hit of this.#headings.hits(query, all, { forgiving })) offer(rankHeading(hit))
    const sorted = [...best.values()].sort((a, b) => b.rank - a.rank || shorterFirst(a, b))
    return sorted.slice(0, limit).map(shown)
  }

  /** Newest first. */
  recent(limit: number): FoundNote[] {
    const notes = this.#now().all.toSorted((a, b) => b.mtimeMs - a.mtimeMs || byCodePoint(a.path, b.path))
    return notes
      .slice(0, limit)
      .map((note) =>
        shown({ note, matched: 'recent', text: stemOf(note.path), line: null, rank: TIERS.exact }),
      )
  }

  #add(index: MiniSearch<NameDocument>, note: Pick<SwitcherNote, 'path' | 'aliases'>): void {
    const document = documentOf(note)
    index.add(document)
    for (const field of FIELDS) for (const word of wordsOf(document[field])) this.#words.add(word)
  }

  /** Notes that have all words, where there are any; else those that have some. */
  #searchNames(index: MiniSearch<NameDocument>, query: string) {
    const words = wordsOf(query).map((word) => ({ word, near: this.#words.near(word) }))
    const queries = words.map(({ word, near }) => ({
      combineWith: 'OR' as const,
      queries: [word, ...near.filter((other) => !other.word.startsWith(word)).map(asWritten)],
    }))
    const some = index.search({ queries, combineWith: 'OR' }, SEARCH)
    const all = some.filter(({ queryTerms }) =>
      words.every(({ word, near }) =>
        queryTerms.some((term) => term === word || near.some((other) => other.word === term)),
      ),
    )
    return all.length > 0 ? { results: all, tier: TIERS.words } : { results: some, tier: TIERS.some }
  }

  #now() {
    if (this.#known === null) {
      const all = [...this.#notes()]
      this.#known = { all, byPath: new Map(all.map((note) => [note.path, note])) }
    }
    return this.#known
  }

  /** In slices, so that other callers are answered meanwhile. */
  async #build(): Promise<MiniSearch<NameDocument>> {
    try {
      const index = await this.#buildInSlices()
      this.#catchUp(index)
      this.#index = index
      return index
    } finally {
      this.#building = null
      this.#touched.clear()
    }
  }

  /** Brings in what changed meanwhile. No wait may come between this and the use of the index. */
  #catchUp(index: MiniSearch<NameDocument>): void {
    const now = this.#touched.size > 0 ? this.#now().byPath : null
    for (const path of this.#touched) {
      if (index.has(path)) index.discard(path)
      const note = now?.get(path)
      if (note !== undefined) this.#add(index, note)
    }
  }

  async #buildInSlices(): Promise<MiniSearch<NameDocument>> {
    const index = emptyIndex()
    let sliceEnds = performance.now() + SLICE_MS
    for (const note of this.#now().all) {
      this.#add(index, note)
      this.#headings.prepare(note.headings)
      if (performance.now() < sliceEnds) continue
      await new Promise((resolve) => setImmediate(resolve))
      sliceEnds = performance.now() + SLICE_MS
    }
    return index
  }
}

/** Longest stretch for which building keeps others waiting. */
const SLICE_MS = 8

/** A near word counts as it is written, the less the more typos. */
function asWritten({ word, typos }: Near) {
  const weight = (SEARCH.weights.fuzzy * word.length) / (word.length + typos)
  return { queries: [word], prefix: false, boostTerm: () => weight }
}

const FIELDS = ['name', 'aliases', 'folder'] as const

interface NameDocument {
  readonly id: VaultPath
  readonly name: string
  readonly aliases: string
  readonly folder: string
}

function documentOf({ path, aliases }: Pick<SwitcherNote, 'path' | 'aliases'>): NameDocument {
  return { id: path, name: stemOf(path), aliases: aliases.join('\n'), folder: folderOf(path) }
}

function emptyIndex(): MiniSearch<NameDocument> {
  return new MiniSearch<NameDocument>({
    fields: [...FIELDS],
    tokenize: wordsOf,
    processTerm: (term) => term,
  })
}

const SEARCH = {
  boost: { name: 4, aliases: 3, folder: 0.5 },
  prefix: true,
  weights: { fuzzy: 0.3, prefix: 0.6 },
}

function wordsOf(text: string): string[] {
  const words = new Set<string>()
  tokenize(text, (term) => words.add(fold(term)))
  return [...words]
}

interface Ranked {
  readonly note: SwitcherNote
  readonly matched: FoundNote['matched']
  readonly text: string
  readonly line: number | null
  /** A tier and, within its height, how good. */
  readonly rank: number
}

/** How a query can fit; each tier stands above everything in the next. */
const TIERS = {
  exact: 1,
  exactAlias: 0.9,
  starts: 0.8,
  startsAlias: 0.7,
  words: 0.5,
  heading: 0.3,
  some: 0.1,
}
const TIER_HEIGHT = 0.09

function rankName(
  note: SwitcherNote,
  { query, score, tier }: { query: string; score: number; tier: number },
): Ranked {
  const wanted = plain(query.replace(/\.md$/i, ''))
  const title = stemOf(note.path)
  const names = [
    { matched: 'name', text: title, exact: TIERS.exact, starts: TIERS.starts } as const,
    ...note.aliases.map(
      (text) => ({ matched: 'alias', text, exact: TIERS.exactAlias, starts: TIERS.startsAlias }) as const,
    ),
  ]
  // A path asks for its note, however the name alone would rank.
  if (wanted.includes('/') && `/${plain(note.path.slice(0, -3))}`.endsWith(`/${wanted}`)) {
    return { note, matched: 'name', text: title, line: null, rank: TIERS.exact }
  }
  const within = TIER_HEIGHT * (score / (score + 10))
  const exact = names.find(({ text }) => plain(text) === wanted)
  if (exact !== undefined)
    return { note, matched: exact.matched, text: exact.text, line: null, rank: exact.exact }
  const starts = names.find(({ text }) => plain(text).startsWith(wanted))
  if (starts !== undefined) {
    return { note, matched: starts.matched, text: starts.text, line: null, rank: starts.starts + within }
  }
  if (names.length === 1) return { note, matched: 'name', text: title, line: null, rank: tier + 2 * within }
  const words = wordsOf(query)
  const shares = names.map(({ text }) => sharedWords(words, text))
  const most = names[shares.indexOf(Math.max(...shares))] ?? names[0]
  const { matched, text } = most ?? { matched: 'name' as const, text: title }
  return { note, matched, text, line: null, rank: tier + 2 * within }
}

function rankHeading({ note, heading, quality }: HeadingHit<SwitcherNote>): Ranked {
  const rank = TIERS.heading + TIER_HEIGHT * quality
  return { note, matched: 'heading', text: heading.text, line: heading.line, rank }
}

function sharedWords(words: readonly string[], text: string): number {
  const own = wordsOf(text)
  return words.filter((word) => own.some((term) => term.startsWith(word))).length
}

function plain(text: string): string {
  return fold(text.trim().normalize('NFC').toLowerCase())
}

function shorterFirst(a: Ranked, b: Ranked): number {
  const [one, other] = [a.note.path, b.note.path]
  return a.text.length - b.text.length || one.length - other.length || byCodePoint(one, other)
}

function shown({ note, matched, text, line, rank }: Ranked): FoundNote {
  const { path, mtimeMs } = note
  const score = Math.round(rank * 1000) / 1000
  return { path, title: stemOf(path), matched, text, line, score, modified: new Date(mtimeMs).toISOString() }
}
