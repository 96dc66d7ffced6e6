import { VaultError } from '../errors.ts'
import type { Vault } from '../vault/vault.ts'
import type { Access, ToolDescription } from './registry.ts'
import type { JsonSchema } from './schema.ts'
import type { Tool, ToolAnswer } from './tool.ts'

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

/**
 * The answers of a search in several vaults as one: hits name their vault, best first where they carry a score,
 * cut at the limit that was asked for.
 */
export function merged(answers: readonly { vault: Vault; data: Data }[], limit: number): Data {
  const hits: Data[] = answers.flatMap(({ vault, data }) =>
    ((data.results as Data[] | undefined) ?? []).map((hit) => ({ vault: vault.name, ...hit })),
  )
  if (hits.every((hit) => typeof hit.score === 'number')) {
    hits.sort((a, b) => Number(b.score) - Number(a.score))
  }
  const first = answers[0]?.data ?? {}
  const sum = (pick: (data: Data) => unknown) =>
    answers.reduce(
      (total, { data }) => total + (typeof pick(data) === 'number' ? (pick(data) as number) : 0),
      0,
    )
  const warnings = answers.flatMap(({ vault, data }) =>
    ((data.warnings as string[] | undefined) ?? []).map((w) => `${vault.name}: ${w}`),
  )
  return {
    ...first,
    results: hits.slice(0, limit),
    ...('total' in first ? { total: sum((d) => d.total) } : {}),
    ...('searched' in first ? { searched: sum((d) => d.searched) } : {}),
    ...('truncated' in first
      ? { truncated: hits.length > limit || answers.some(({ data }) => data.truncated === true) }
      : {}),
    ...('index' in first ? { index: worstState(answers.map(({ data }) => data.index as IndexLike)) } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
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

/** The limit of a search, whichever parameter names it. */
export function limitOf(args: Data): number {
  for (const name of ['max_results', 'limit', 'top_k']) if (typeof args[name] === 'number') return args[name]
  return Number.POSITIVE_INFINITY
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
