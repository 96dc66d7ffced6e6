import { z } from 'zod'

/** What is known of a setting beside its kind. */
export interface About {
  /** Its environment variables; the first is the name to use, the others stand in where it is not set. */
  readonly env: readonly string[]
  /** Its flag; null for secrets, which every user of the machine could read on a command line. Default: from its key. */
  readonly flag?: string | null
  /** One sentence or two, for the help and the README. */
  readonly says: string
  /** The value where nothing sets it. */
  readonly fallback: unknown
  /** The default in words, where the value alone does not say it. */
  readonly fallbackSays?: string
  /** Never shown. */
  readonly secret?: true
  /** Made absolute before it is checked. */
  readonly form?: 'path' | 'vaults' | 'corpora' | 'place'
  /** How a flag takes it; `one` is the default. */
  readonly takes?: 'one' | 'switch' | 'several'
}

/** The facts of every leaf of the schema. */
export const about = z.registry<About>()

/** One setting: its kind, and what is known of it. */
export function option<T>(
  schema: z.ZodType<T>,
  facts: About & { readonly fallback: NoInfer<T> },
): z.ZodType<T> {
  // Two options of one kind share no entry: a registry knows a schema by its identity.
  return schema.clone().register(about, facts)
}
