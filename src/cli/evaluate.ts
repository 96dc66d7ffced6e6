import { VaultError } from '../errors.ts'
import { hybridSearch } from '../vault/hybrid.ts'
import type { Vault } from '../vault/vault.ts'
import { prepareMeaning } from './prepare.ts'

/** A question with the notes that should be found. */
export interface Evaluation {
  readonly query: string
  readonly expectedSources: readonly string[]
  readonly folders: readonly string[]
  readonly tags: readonly string[]
}

/** What became of one question. */
export interface Outcome {
  readonly query: string
  readonly expected: readonly string[]
  /** Notes, best first. */
  readonly found: readonly string[]
}

export interface Figures {
  readonly queries: number
  /** Share of questions whose first note is right. */
  readonly 'hit@1': number
  /** Share with a right one among six. */
  readonly 'hit@6': number
  /** Mean share of the right notes that stand among six. */
  readonly 'recall@6': number
  /** Mean of one over the rank of the first right note. */
  readonly MRR: number
}

/** Notes of an answer that count. */
const DEPTH = 6

/**
 * What `knap eval` prints: how well the questions of a file find their notes, and which do not come first.
 * @param lines JSON, a question a line: `{"query", "expectedSources", "folders"?, "tags"?}`
 * @throws VaultError `bad_argument` for a line that is none; see `prepareMeaning`
 */
export async function evalCommand(
  vault: Vault,
  lines: string,
  { json, say }: { json: boolean; say: (line: string) => void },
): Promise<string> {
  const evaluations = readEvaluations(lines)
  await vault.built()
  await prepareMeaning(vault, say)
  const outcomes: Outcome[] = []
  for (const { query, expectedSources: expected, folders, tags } of evaluations) {
    const { passages } = await hybridSearch(vault, {
      query,
      limit: DEPTH,
      perNote: 1,
      folders,
      tags,
      where: [],
      expandLinks: false,
      minSimilarity: 0,
      fusion: 'auto',
    })
    outcomes.push({ query, expected, found: passages.map(({ path }) => path) })
  }
  const figures = figuresOf(outcomes)
  const missed = outcomes.filter(({ expected, found }) => !expected.includes(found[0] ?? ''))
  return json ? `${JSON.stringify({ ...figures, missed }, null, 2)}\n` : asText(figures, missed)
}

/** @throws VaultError `bad_argument` that names the line */
export function readEvaluations(lines: string): Evaluation[] {
  return lines.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    const row = parsed(line)
    const { query, expectedSources, folders = [], tags = [] } = row ?? {}
    if (
      typeof query === 'string' &&
      isTexts(expectedSources) &&
      expectedSources.length > 0 &&
      isTexts(folders) &&
      isTexts(tags)
    )
      return [{ query, expectedSources, folders, tags }]
    throw new VaultError('bad_argument', `Line ${i + 1} of the questions is none.`, {
      hint: 'A line is {"query": "…", "expectedSources": ["Note.md"]}, with "folders" and "tags" where wanted.',
    })
  })
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown> | null
  } catch {
    return null
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const share = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / Math.max(1, outcomes.length)
  const rank = ({ expected, found }: Outcome) => found.findIndex((path) => expected.includes(path)) + 1
  return {
    queries: outcomes.length,
    'hit@1': share((o) => (rank(o) === 1 ? 1 : 0)),
    'hit@6': share((o) => (rank(o) > 0 && rank(o) <= DEPTH ? 1 : 0)),
    'recall@6': share(({ expected, found }) => {
      const top = found.slice(0, DEPTH)
      return expected.filter((path) => top.includes(path)).length / expected.length
    }),
    MRR: share((o) => (rank(o) === 0 ? 0 : 1 / rank(o))),
  }
}

function asText(figures: Figures, missed: readonly Outcome[]): string {
  const { queries, ...shares } = figures
  return [
    `${queries} questions`,
    ...Object.entries(shares).map(([name, value]) => `${name.padEnd(8)} ${value.toFixed(3)}`),
    ...missed.flatMap(({ query, expected, found }) => [
      '',
      `Not first: ${query}`,
      `  right: ${expected.join(', ')}`,
      `  found: ${found.join(', ') || 'nothing'}`,
    ]),
    '',
  ].join('\n')
}
