import { VaultError } from '../errors.ts'
import { buildSegment } from '../index/segment_writer.ts'
import { TextIndex } from '../index/text_index.ts'
import type { IndexDocument } from '../note/note.ts'
import type { VectorStore } from '../vector/store.ts'
import type { Validators } from './download.ts'
import { type FragmentTable, FragmentWriter } from './fragment_table.ts'
import { cutPage, type Fragment } from './fragments.ts'
import type { LeftOut, PageStream } from './page.ts'

/** What is known of a corpus beside its fragments. */
export interface CorpusFacts {
  readonly name: string
  /** Source and folders as the settings had them. @see identityOf */
  readonly configured: string
  /** The folders that were taken; empty: all. */
  readonly folders: readonly string[]
  /** When its source was read, ISO. */
  readonly indexedAt: string
  /** What tells whether the source has changed: the mark of a folder, or what the server said of an archive. */
  readonly mark: string | null
  readonly validators: Validators | null
  readonly left: readonly LeftOut[]
}

/** A manual, ready to be asked. Only its vectors still grow; another reading of its source makes another corpus. */
export interface Corpus {
  readonly facts: CorpusFacts
  readonly fragments: FragmentTable
  readonly index: TextIndex
  /** By fragment; null before any model was there. */
  vectors: VectorStore | null
}

/** From so many pages on it pays to stop for a tenth of a second and give memory back. */
const MANY_PAGES = 500

/** Fragments that are indexed in one go. */
const AT_ONCE = 64

/**
 * Reads all pages of a source into a corpus without vectors. Gives way to other work after every few pages.
 * @param progress takes how many pages are read
 * @param most fragments that it may have
 * @throws VaultError of the source, `too_large`
 */
export async function readCorpus(
  stream: PageStream,
  { signal, progress, most }: { signal: AbortSignal; progress: (pages: number) => void; most: number },
): Promise<Pick<Corpus, 'fragments' | 'index'>> {
  const writer = new FragmentWriter()
  const index = new TextIndex()
  let waiting: IndexDocument[] = []
  let pages = 0
  let count = 0
  for await (const page of stream.pages()) {
    signal.throwIfAborted()
    const fragments = cutPage(page)
    count += fragments.length
    if (count > most) throw tooMany(most)
    writer.add(fragments)
    waiting.push(...fragments.map(documentOf))
    progress(++pages)
    if (waiting.length < AT_ONCE) continue
    index.addSegment(buildSegment(waiting))
    waiting = []
    await giveWay()
  }
  if (waiting.length > 0) index.addSegment(buildSegment(waiting))
  while (index.maintain()) await giveWay()
  // What reading has left behind goes back at once, not when the heap is full the next time.
  if (pages >= MANY_PAGES) Bun.gc(true)
  return { fragments: writer.finish(), index }
}

function documentOf({ id, title, aliases, headings, text, properties = '' }: Fragment): IndexDocument {
  return {
    path: id,
    title,
    aliases,
    headings,
    tags: [],
    frontmatter: properties,
    body: text,
    bodyStart: 0,
    language: undefined,
  }
}

function tooMany(most: number): VaultError {
  return new VaultError('too_large', `The pages have more than ${most} sections.`, {
    hint: 'Name the folders that are needed.',
  })
}

function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
