import type { z } from 'zod'
import type { Library } from '../docs/library.ts'
import { byCodePoint } from '../text/order.ts'
import type { Vault } from '../vault/vault.ts'

/** What a tool is handed beside its arguments. */
export interface ToolContext {
  readonly vault: Vault
  /** The manuals beside the vaults, for the tools that are about them. */
  readonly docs?: Library
  /** The client's name, for the history. */
  readonly client: string
  /** Aborted when the client cancels the call or goes away. */
  readonly signal: AbortSignal
  /** Reports progress where the client asked for it. */
  readonly progress: (done: number, total: number | undefined, message: string) => void
  /** `http` where somebody else's machine may be asking. */
  readonly transport: 'stdio' | 'http'
  /** The server also listens beyond this machine. */
  readonly isRemote: boolean
}

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string }

/** An answer: the structured form, and the same for readers of text (see {@link textOf} for the default). */
export interface ToolAnswer<Output> {
  readonly data: Output
  readonly text?: string
  readonly blocks?: readonly ContentBlock[]
}

export interface ToolAnnotations {
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

/** A hit of a search, and the vault that it is from. */
export interface VaultHit {
  readonly vault: Vault
  readonly hit: Readonly<Record<string, unknown>>
}

/** Below 0 where the first stands before the second. */
export type HitOrder = (a: VaultHit, b: VaultHit) => number

export const byHitPath: HitOrder = (a, b) => byCodePoint(String(a.hit.path), String(b.hit.path))

/**
 * One tool: its schema is the single source of what clients are shown, what is checked and what the docs print.
 * `access`: reads only, writes, or (by the value of `action`) both; `reads` lists the actions that only read.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** When to use it and when another one, units, what the answer holds. Every model reads it in every conversation: be short. */
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly access: 'read' | 'write' | { readonly reads: readonly string[] }
  readonly annotations?: ToolAnnotations
  /** A search: where several vaults are served, one that names none asks all of them. */
  readonly searches?: boolean
  /** The order of such a search's hits across vaults; without it they stand by `score`, best first. */
  hitOrder?(args: z.output<Input>): HitOrder
  /** Offered for vaults in a local folder only. */
  readonly localOnly?: boolean
  /** About the manuals beside the vaults, never about a vault: offered where a corpus is set up. */
  readonly docs?: boolean
  /**
   * What a person should agree to before it is done, in one sentence; null: nothing of that kind. Asked only where the
   * client can show a form; elsewhere the call goes on.
   */
  question?(context: ToolContext, args: z.output<Input>): Promise<string | null>
  run(context: ToolContext, args: z.output<Input>): Promise<ToolAnswer<z.input<Output>>>
}

/** Keeps the argument and answer types of one tool while the list holds them all. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool
}
