import { VaultError } from '../errors.ts'
import { stemOf, type VaultPath } from '../note/path.ts'
import { NO_WORD } from '../search/describe.ts'
import { meaningOf } from '../search/meaning.ts'
import { showHit } from '../vault/evidence.ts'
import { hybridSearch, stillPreparing } from '../vault/hybrid.ts'
import { passagesOf, searchNotes } from '../vault/search_notes.ts'
import type { Vault } from '../vault/vault.ts'
import { prepareMeaning } from './prepare.ts'

export type SearchWay = 'hybrid' | 'text' | 'semantic'

export interface SearchFlags {
  readonly way: SearchWay
  /** At most this many hits. */
  readonly limit: number
  readonly json: boolean
  /** Takes a line about progress. */
  readonly say: (line: string) => void
}

/** A hit as the terminal shows it. */
export interface ShownHit {
  readonly path: VaultPath
  readonly title: string
  /** Of the passage, from 1. */
  readonly line: number | null
  readonly heading: string | null
  /** Comparable within one answer only. */
  readonly score: number
  readonly text: string
}

export interface Shown {
  readonly results: readonly ShownHit[]
  readonly notice?: string | undefined
}

/** How long (ms) a search of both kinds waits for notes that are not embedded yet. */
const PATIENCE_MS = 3000

/** What `knap search` prints, with a line end. @throws VaultError `not_configured` without search by meaning */
export async function searchCommand(vault: Vault, query: string, flags: SearchFlags): Promise<string> {
  await vault.built()
  // Who asks for meaning alone waits for it; who asks for both gets an answer now.
  if (flags.way === 'semantic') await prepareMeaning(vault, flags.say)
  else if (flags.way === 'hybrid') {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), PATIENCE_MS)
    await prepareMeaning(vault, flags.say, patience.signal)
    clearTimeout(timer)
  }
  const found = await findIn(vault, query, flags)
  return flags.json ? `${JSON.stringify({ query, ...found }, null, 2)}\n` : asText(found)
}

async function findIn(vault: Vault, query: string, { way, limit }: SearchFlags): Promise<Shown> {
  if (way === 'text') return await byWords(vault, query, limit)
  if (way === 'semantic') return await byMeaning(vault, query, limit)
  const { passages, notice } = await hybridSearch(vault, {
    query,
    limit,
    perNote: 1,
    folders: [],
    tags: [],
    where: [],
    expandLinks: false,
    minSimilarity: 0,
    fusion: 'auto',
  })
  const results = passages.map(({ path, line, heading, score, text }) => {
    return { path, title: stemOf(path), line, heading, score, text }
  })
  return { results, notice }
}

async function byWords(vault: Vault, query: string, limit: number): Promise<Shown> {
  const { hits } = await searchNotes(vault, { query, limit })
  const results = await Promise.all(
    hits.map(async (hit) => {
      const [passage] = await passagesOf(vault, hit, { contextLength: 150, max: 1 })
      const place = { line: passage?.line ?? null, heading: passage?.headingPath.at(-1) ?? null }
      return {
        path: hit.path,
        title: stemOf(hit.path),
        ...place,
        score: hit.score,
        text: passage?.text ?? '',
      }
    }),
  )
  return { results }
}

async function byMeaning(vault: Vault, query: string, limit: number): Promise<Shown> {
  if (vault.semantic === null) throw off()
  if (!meaningOf(query).hasWords) return { results: [], notice: NO_WORD }
  const question = await vault.semantic.ask(query)
  if (!question) return { results: [], notice: 'The model does not speak the language of the query.' }
  const results = await Promise.all(
    question.near({ most: limit, perNote: 1 }).map(async (hit) => {
      const path = hit.path as VaultPath
      const { snippet = '' } = await showHit(vault, hit, false)
      const heading = hit.chunk.headingPath.at(-1) ?? null
      return { path, title: stemOf(path), line: null, heading, score: hit.best, text: snippet }
    }),
  )
  return { results, notice: stillPreparing(vault) }
}

function off(): VaultError {
  return new VaultError('not_configured', 'Search by meaning is off.', {
    hint: 'Leave --semantic out, or set OBSIDIAN_EMBEDDINGS=true.',
  })
}

function asText({ results, notice }: Shown): string {
  const blocks = results.map(({ path, line, heading, score, text }, i) => {
    const place = `${path}${line === null ? '' : `:${line}`}${heading === null ? '' : ` # ${heading}`}`
    const shown = text.split('\n').filter((l) => l.trim() !== '')
    return [
      `${i + 1}. ${place}  (${score.toFixed(3)})`,
      ...shown.slice(0, 4).map((l) => `   ${l.slice(0, 160)}`),
    ].join('\n')
  })
  if (blocks.length === 0) blocks.push('Nothing was found.')
  return `${[...blocks, ...(notice ? [notice] : [])].join('\n\n')}\n`
}
