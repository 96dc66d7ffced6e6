import { VaultError } from '../errors.ts'
import type { Vault } from '../vault/vault.ts'
import type { Access, ToolDescription } from './registry.ts'
import type { JsonSchema } from './schema.ts'
import type { HitOrder, Tool, ToolAnswer, VaultHit } from './tool.ts'

/**
 * Several vaults behind one server: every tool then takes `vault`, by which a call names the one it means; searches
 * without it ask all. With one vault the parameter does not exist, and nothing ever remembers a "current" one.
 */

/** A tool's description with the parameter `vault`. */
function withVaultParameter(
  tool: Tool,
  described: ToolDescription,
  names: readonly string[],
): ToolDescription {
  const { inputSchema, outputSchema } = described
  const parameter: JsonSchema = {
    type: 'string',
    enum: [...names],
    description: tool.searches ? 'Which vault; all without it' : 'Which vault',
  }
  return {
    ...described,
    inputSchema: {
      ...inputSchema,
      properties: { vault: parameter, ...inputSchema.properties },
      ...(tool.searches ? {} : { required: ['vault', ...(inputSchema.required ?? [])] }),
    },
    outputSchema: { ...outputSchema, properties: { ...outputSchema.properties, vault: { type: 'string' } } },
  }
}

/** The vaults that a call is about: the named one, or all for a search that names none. */
export function vaultsMeant(tool: Tool, name: unknown, vaults: readonly Vault[]): readonly Vault[] {
  if (vaults.length === 1) return vaults
  if (name === undefined && tool.searches) return vaults
  const found = vaults.find((v) => v.name === name)
  if (found) return [found]
  throw new VaultError('bad_argument', '"vault" is missing.', {
    hint: `Name one of: ${vaults.map((v) => v.name).join(', ')}.`,
  })
}

type Data = Record<string, unknown>

/** The answer of one vault among several names it. */
export function named(answer: ToolAnswer<Data>, vault: Vault): ToolAnswer<Data> {
  return { ...answer, data: { ...answer.data, vault: vault.name } }
}

/** What one vault answers to a search. */
export interface VaultAnswer {
  readonly vault: Vault
  readonly data: Data
}

/** What a search asks of each vault, so that a page of them all can be cut from it. */
export function askedOfEach(args: Data): Data {
  const { limit, offset } = pageOf(args)
  return offset === 0 ? args : { ...args, offset: 0, [limit.name]: offset + limit.size }
}

/**
 * The answers of a search in several vaults as one: hits name their vault and stand in the tool's order, each vault's
 * own kept, and the page that was asked for is cut from them.
 */
export function merged(tool: Tool, answers: readonly VaultAnswer[], args: Data): Data {
  const hits = inOrder(
    answers.map(({ vault, data }) =>
      ((data.results as Data[] | undefined) ?? []).map((hit) => ({ vault, hit })),
    ),
    tool.hitOrder?.(args) ?? bestFirst,
  )
  const { limit, offset } = pageOf(args)
  const end = offset + limit.size
  const first = answers[0]?.data ?? {}
  const all = <T>(name: string) => answers.flatMap(({ data }) => (name in data ? [data[name] as T] : []))
  const sum = (name: string) =>
    name in first ? { [name]: all<number>(name).reduce((a, b) => a + b, 0) } : {}
  const warnings = answers.flatMap(({ vault, data }) =>
    ((data.warnings as string[] | undefined) ?? []).map((w) => `${vault.name}: ${w}`),
  )
  const notices = [...new Set(all<string>('notice'))]
  const { did_you_mean: _, ...rest } = first
  const suggestions = wantedEverywhere(answers.map(({ data }) => (data.did_you_mean as Suggestion[]) ?? []))
  return {
    ...rest,
    results: hits.slice(offset, end).map(({ vault, hit }) => ({ vault: vault.name, ...hit })),
    ...sum('total'),
    ...sum('searched'),
    ...('truncated' in first ? { truncated: hits.length > end || all('truncated').includes(true) } : {}),
    ...(notices.length > 0 ? { notice: notices.join(' ') } : {}),
    ...(suggestions.length > 0 ? { did_you_mean: suggestions } : {}),
    ...('index' in first ? { index: worstState(all<IndexLike>('index')) } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** The lists as one, the order within each kept. */
function inOrder(lists: readonly (readonly VaultHit[])[], order: HitOrder): VaultHit[] {
  const waiting = lists.map((list) => [...list].reverse()).filter((list) => list.length > 0)
  const out: VaultHit[] = []
  while (waiting.length > 0) {
    const next = waiting.reduce((best, list) => (order(list.at(-1)!, best.at(-1)!) < 0 ? list : best))
    out.push(next.pop()!)
    if (next.length === 0) waiting.splice(waiting.indexOf(next), 1)
  }
  return out
}

const bestFirst: HitOrder = (a, b) => Number(b.hit.score) - Number(a.hit.score)

interface Suggestion {
  readonly word: string
  readonly near: readonly string[]
}

/** Other words for those that no vault has. */
function wantedEverywhere([first = [], ...others]: readonly (readonly Suggestion[])[]): Suggestion[] {
  return first.flatMap(({ word, near }) => {
    const same = others.map((list) => list.find((other) => other.word === word))
    if (same.includes(undefined)) return []
    return [{ word, near: [...new Set([near, ...same.map((other) => other!.near)].flat())] }]
  })
}

interface IndexLike {
  readonly state: string
  readonly indexed: number
  readonly total: number
  readonly semantic: string
}

function worstState(states: readonly IndexLike[]): IndexLike {
  const worst = states.find((s) => s.state !== 'ready') ?? states[0]
  return {
    state: worst?.state ?? 'ready',
    indexed: states.reduce((n, s) => n + s.indexed, 0),
    total: states.reduce((n, s) => n + s.total, 0),
    semantic: states.find((s) => s.semantic !== 'ready')?.semantic ?? 'ready',
  }
}

/** The page that a search asks for, whichever parameter names its size. */
function pageOf(args: Data): { limit: { name: string; size: number }; offset: number } {
  const name = ['max_results', 'limit', 'top_k'].find((known) => typeof args[known] === 'number')
  const offset = typeof args.offset === 'number' ? args.offset : 0
  return {
    limit: { name: name ?? 'limit', size: name === undefined ? Infinity : Number(args[name]) },
    offset,
  }
}

/** Only what a caller may see of a tool is told; kept here so that descriptions are made once a filter and set of vaults. */
export function describedFor(
  describe: (tool: Tool, access: Access) => ToolDescription,
  names: readonly string[],
): (tool: Tool, access: Access) => ToolDescription {
  if (names.length <= 1) return describe
  return (tool, access) =>
    tool.docs ? describe(tool, access) : withVaultParameter(tool, describe(tool, access), names)
}
