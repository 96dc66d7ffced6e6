import { VaultError } from '../errors.ts'
import { embedTexts } from '../vault/semantic_embed.ts'
import type { CutNote } from '../vault/semantic_note.ts'
import { chunkNote } from '../vector/chunk.ts'
import type { Embedder } from '../vector/embedder.ts'
import { VectorStore } from '../vector/store.ts'
import type { Corpus } from './corpus.ts'
import type { Fragment } from './fragments.ts'

export interface EmbedOptions {
  readonly embedder: Embedder
  /** Vectors of an older reading: an unchanged text is not embedded again. */
  readonly known: VectorStore | null
  readonly signal: AbortSignal
  /** Takes how many fragments are done; awaited, so that it may save. */
  readonly progress: (done: number) => Promise<void> | void
}

/** Fragments that are taken at once. */
const AT_ONCE = 64

/**
 * Gives every fragment its vectors, as far as the model speaks its page's language; what is there already stays. The
 * vectors come into the corpus as they are made.
 * @returns fragments that the model refuses: they are found by their words
 * @throws VaultError what has failed for all of them alike
 */
export async function embedCorpus(corpus: Corpus, options: EmbedOptions): Promise<number> {
  const { embedder, signal, progress } = options
  const known = options.known?.dimensions === embedder.dimensions ? options.known : null
  const isOurs = corpus.vectors?.identity === embedder.identity
  const store = isOurs
    ? (corpus.vectors as VectorStore)
    : new VectorStore(embedder.identity, embedder.dimensions)
  corpus.vectors = store
  const refused = new Set<string>()
  let done = store.noteCount
  let trusted = false
  for (const fragments of groups(corpus, (id) => store.get(id) === undefined)) {
    signal.throwIfAborted()
    const cut: CutNote[] = []
    for (const { fragment, spoken } of fragments) {
      const note = await cutFragment(fragment, embedder, spoken(embedder))
      if (note === null) refused.add(fragment.id)
      else cut.push(note)
    }
    const made = new Map<string, Float32Array>()
    const lost = await embedTexts(cut, embedder, {
      known: (id) => store.vectorOf(id) ?? known?.vectorOf(id),
      made,
      signal,
      trusted,
    })
    for (const note of cut)
      if (!lost.has(note.path)) keep(note, store, (id) => made.get(id) ?? known?.vectorOf(id))
    trusted ||= made.size > 0
    for (const id of lost.keys()) refused.add(id)
    done += cut.length - lost.size
    await progress(done)
  }
  return refused.size
}

interface Wanted {
  readonly fragment: Fragment
  /** Does the model speak the language of its page? */
  readonly spoken: (embedder: Embedder) => boolean
}

/** The wanted fragments in groups. A page's language shows in all of it, not in a table or a line of code. */
function* groups(corpus: Corpus, isWanted: (id: string) => boolean): Generator<Wanted[]> {
  let group: Wanted[] = []
  for (const page of pagesOf(corpus)) {
    let answer: boolean | undefined
    const spoken = (embedder: Embedder) => (answer ??= embedder.speaks(page.map((f) => f.text).join('\n\n')))
    for (const fragment of page) {
      if (!isWanted(fragment.id)) continue
      group.push({ fragment, spoken })
      if (group.length < AT_ONCE) continue
      yield group
      group = []
    }
  }
  if (group.length > 0) yield group
}

function* pagesOf({ fragments }: Corpus): Generator<Fragment[]> {
  let page: Fragment[] = []
  for (const fragment of fragments.all()) {
    if (page[0] !== undefined && page[0].path !== fragment.path) {
      yield page
      page = []
    }
    page.push(fragment)
  }
  if (page.length > 0) yield page
}

/**
 * One text in most cases; more where a fragment is longer than the model reads, none where it does not speak it.
 * @returns null where its headings leave the model no room for the text
 */
async function cutFragment(fragment: Fragment, embedder: Embedder, spoken: boolean): Promise<CutNote | null> {
  const { id, title, aliases, headings, text } = fragment
  if (!spoken) return { path: id, revision: '1', chunks: [] }
  const above = headings.length === 0 ? title : `${title}\n${headings.join(' > ')}`
  const note = { path: id, text, title: above, aliases, bodyStart: 0, headings: [] }
  try {
    const chunks = await chunkNote(note, {
      maxTokens: embedder.maxTokens,
      countTokens: (texts) => embedder.countTokens(texts),
      identity: embedder.space,
    })
    return { path: id, revision: '1', chunks }
  } catch (error) {
    if (error instanceof VaultError && error.code === 'too_large') return null
    throw error
  }
}

function keep(
  { path, revision, chunks }: CutNote,
  store: VectorStore,
  vectorOf: (id: string) => Float32Array | undefined,
): void {
  const vectors = new Float32Array(chunks.length * store.dimensions)
  for (const [i, { id }] of chunks.entries())
    vectors.set((vectorOf(id) ?? store.vectorOf(id)) as Float32Array, i * store.dimensions)
  store.set({ path, revision, chunks: chunks.map(({ text: _, ...rest }) => rest), vectors })
}
