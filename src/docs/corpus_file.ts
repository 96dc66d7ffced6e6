import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { TextIndex } from '../index/text_index.ts'
import { replaceFile } from '../vault/replace_file.ts'
import { decodeSections, encodeSections } from '../vault/snapshot_format.ts'
import { decodeStore, encodeStore, type VectorStore } from '../vector/store.ts'
import type { Corpus } from './corpus.ts'
import { FragmentTable } from './fragment_table.ts'
import { FRAGMENT_RULES } from './fragments.ts'

/**
 * A corpus in one file: a snapshot file (checksums of every section) with the sections 0 facts and table (JSON), 1 the
 * texts, 2 the full-text index, 3 the table and 4 the numbers of the vectors (both empty without any). What
 * `knap docs export` writes and what lies in the cache folder are the same.
 * - 1: first form
 */
const VERSION = 1

/**
 * Of the file around it. Not that of vaults' snapshots: a vault is read anew where words are split in another way, but
 * a manual would have to be fetched and embedded again, so it keeps its words until somebody asks for it.
 */
const FILE_VERSION = 3

/** The first bytes of such a file. */
export const CORPUS_MAGIC = new TextEncoder().encode('KNAPSNAP')

const leftOut = z.object({ path: z.string(), reason: z.string() })
const validators = z.object({ etag: z.string().nullable(), modified: z.string().nullable() })
const head = z.object({
  kind: z.literal('documentation corpus'),
  version: z.int(),
  rules: z.int(),
  facts: z.object({
    name: z.string(),
    configured: z.string(),
    folders: z.array(z.string()),
    indexedAt: z.string(),
    mark: z.string().nullable(),
    validators: validators.nullable(),
    left: z.array(leftOut),
  }),
  pages: z.array(z.tuple([z.string(), z.string(), z.array(z.string())])),
  rows: z.array(z.tuple([z.int(), z.string(), z.array(z.string()), z.int(), z.int()])),
})

/** Writes a corpus, whole or not at all. @throws errno errors */
export async function saveCorpus(file: string, { facts, fragments, index, vectors }: Corpus): Promise<void> {
  const { pages, rows } = fragments.rows
  const content: z.input<typeof head> = {
    kind: 'documentation corpus',
    version: VERSION,
    rules: FRAGMENT_RULES,
    facts: { ...facts, folders: [...facts.folders], left: [...facts.left] },
    pages: pages as z.input<typeof head>['pages'],
    rows: rows as z.input<typeof head>['rows'],
  }
  const [table, numbers] = vectors === null ? [new Uint8Array(0), new Uint8Array(0)] : encodeStore(vectors)
  const json = new TextEncoder().encode(JSON.stringify(content))
  const sections = [[json], [fragments.texts], index.encodeParts(), [table], [numbers]]
  await replaceFile(file, encodeSections(sections, FILE_VERSION))
}

/**
 * Reads what {@link saveCorpus} wrote; every byte is under a checksum.
 * @returns null where there is no file
 * @throws Error with the reason why it cannot be used
 */
export async function loadCorpus(file: string): Promise<Corpus | null> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const [json, texts, index, table, numbers] = decodeSections(bytes, FILE_VERSION)
  if (!json || !texts || !index || !table || !numbers) throw new Error('it is no documentation corpus')
  const parsed = head.safeParse(JSON.parse(new TextDecoder().decode(json)))
  if (!parsed.success) throw new Error('it is no documentation corpus')
  const { version, rules, facts, pages, rows } = parsed.data
  if (version !== VERSION) throw new Error(`it is of version ${version}, not ${VERSION}`)
  if (rules !== FRAGMENT_RULES)
    throw new Error(`its pages were cut by rules ${rules}, today's are ${FRAGMENT_RULES}`)
  if (
    !rows.every(([page, , , start, end]) => pages[page] && 0 <= start && start <= end && end <= texts.length)
  )
    throw new Error('its table does not fit')
  const corpus = {
    facts,
    fragments: new FragmentTable({ pages, rows }, texts),
    index: TextIndex.decode(index),
    vectors: vectorsIn(table, numbers),
  }
  requireTogether(corpus)
  return corpus
}

function vectorsIn(table: Uint8Array, numbers: Uint8Array): VectorStore | null {
  if (table.length === 0) return null
  const store = decodeStore(table, numbers)
  if (store === null) throw new Error('its vectors do not fit')
  return store
}

function requireTogether({ fragments, index, vectors }: Corpus): void {
  const strange = [...index.paths()].some((id) => !fragments.has(id))
  if (strange || index.size !== fragments.size) throw new Error('its index does not fit')
  for (const { path } of vectors?.notes() ?? [])
    if (!fragments.has(path)) throw new Error('its vectors do not fit')
}
