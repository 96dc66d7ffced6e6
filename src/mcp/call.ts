import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import type { Vault } from '../vault/vault.ts'
import { readArguments } from './arguments.ts'
import type { Access } from './registry.ts'
import { type CallResult, failureOf, internalFailure, resultOf } from './result.ts'
import { withLinks } from './result_links.ts'
import type { JsonSchema } from './schema.ts'
import { askedOfEach, merged, named, vaultsMeant } from './several.ts'
import type { Tool, ToolContext } from './tool.ts'

export interface Call {
  readonly tool: Tool
  readonly access: Access
  readonly schema: JsonSchema
  readonly vaults: readonly Vault[]
  readonly context: Omit<ToolContext, 'vault'>
  /** May clients read the notes that a search finds as resources? */
  readonly hasResources: boolean
  /** Has a person agree, where the client can show a form. */
  readonly canAsk: boolean
  readonly ask: (question: string) => InputRequiredResult | null
}

/** Runs one call: every expected failure becomes a tool result, every other one is logged whole and answered `internal`. */
export async function callTool(
  { tool, access, schema, vaults, context, hasResources, canAsk, ask }: Call,
  given: unknown,
): Promise<CallResult | InputRequiredResult> {
  try {
    const { args, warnings } = readArguments(schema, given)
    requireAction(tool, access, args.action)
    // Manuals belong to no vault, and there may be none.
    if (tool.docs) return resultOf(await tool.run(context as ToolContext, args), warnings)
    const { vault: name, ...own } = args
    const meant = vaultsMeant(tool, name, vaults)
    const only = meant.length === 1 ? meant[0] : undefined
    if (only !== undefined) {
      const question = canAsk ? ((await tool.question?.({ ...context, vault: only }, own)) ?? null) : null
      const asked = question === null ? null : ask(question)
      if (asked !== null) return asked
      const answer = await tool.run({ ...context, vault: only }, vaults.length === 1 ? args : own)
      const result = resultOf(vaults.length === 1 ? answer : named(answer, only), warnings)
      return tool.searches && hasResources ? withLinks(result, vaults.length === 1 ? '' : only.name) : result
    }
    const each = askedOfEach(own)
    const asked = meant.map(async (vault) => ({
      vault,
      data: (await tool.run({ ...context, vault }, each)).data,
    }))
    const result = resultOf({ data: merged(tool, await Promise.all(asked), own) }, warnings)
    return hasResources ? withLinks(result, '') : result
  } catch (error) {
    if (error instanceof VaultError) return failureOf(error)
    log.error(`${tool.name} failed`, error)
    return internalFailure()
  }
}

function requireAction(tool: Tool, access: Access, action: unknown): void {
  if (access === 'open' || typeof tool.access === 'string') return
  const { reads } = tool.access
  if (typeof action === 'string' && reads.includes(action)) return
  throw new VaultError(
    'read_only',
    `${tool.name}: "${String(action)}" does more than read, which is closed here.`,
    {
      hint: `Allowed here: ${reads.join(', ')}.`,
    },
  )
}
