import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { VaultError } from '../../errors.ts'

/** How an API counts, and how much it takes. */
export interface ApiLimits {
  readonly tokenizer: ApiTokenizer
  /** Tokens of one text. */
  readonly maxTokens: number
  /** Texts of one request. */
  readonly maxInputs: number
  /** Tokens of one request. */
  readonly maxBatchTokens: number
  /** Name of the reviewed contract: another one makes all vectors anew. */
  readonly revision: string
}

export type ApiTokenizer =
  | { readonly kind: 'cl100k_base' }
  /** `json` is the text of a `tokenizer.json`. */
  | {
      readonly kind: 'huggingface'
      readonly json: string
      readonly sha256: string
      readonly addSpecialTokens: boolean
    }

export const OPENAI = 'https://api.openai.com/v1'

/** What OpenAI's documentation says of exactly these models behind its own address; null for everything else. */
export function knownLimits(base: string, model: string): ApiLimits | null {
  const known = ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002']
  if (base !== OPENAI || !known.includes(model)) return null
  return {
    tokenizer: { kind: 'cl100k_base' },
    maxTokens: 8192,
    maxInputs: 2048,
    maxBatchTokens: 300_000,
    revision: 'openai',
  }
}

const MAX_PROFILE_BYTES = 1024 * 1024
const MAX_TOKENIZER_BYTES = 64 * 1024 * 1024

const count = z.int().min(1).max(1_000_000_000)
const profileSchema = z.strictObject({
  version: z.literal(1),
  profile_revision: z.string().trim().min(1).max(256),
  api_base: z.string(),
  model: z.string(),
  tokenizer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('cl100k_base') }),
    z.strictObject({
      kind: z.literal('huggingface'),
      path: z.string().min(1),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'takes 64 small hex digits'),
      add_special_tokens: z.boolean(),
    }),
  ]),
  max_input_tokens: count,
  max_batch_inputs: count,
  max_batch_tokens: count,
})

/**
 * Reads a profile: strict JSON, made for exactly this address and model. A tokenizer that it names lies beside it or
 * where an absolute path says.
 * @throws VaultError `not_configured` with what is wrong
 */
export function readApiProfile(file: string, { base, model }: { base: string; model: string }): ApiLimits {
  const found = profileSchema.safeParse(jsonIn(file))
  if (!found.success) {
    const [issue] = found.error.issues
    throw wrong(
      file,
      issue === undefined ? 'it is of another shape' : `${issue.path.join('.')}: ${issue.message}`,
    )
  }
  const { data } = found
  if (data.api_base.replace(/\/+$/, '') !== base) throw wrong(file, `it is for ${data.api_base}, not ${base}`)
  if (data.model !== model) throw wrong(file, `it is for the model ${data.model}, not ${model}`)
  if (data.max_batch_tokens < data.max_input_tokens)
    throw wrong(file, 'max_batch_tokens is less than max_input_tokens, so that no request could be sent')
  return {
    tokenizer: tokenizerOf(file, data.tokenizer),
    maxTokens: data.max_input_tokens,
    maxInputs: data.max_batch_inputs,
    maxBatchTokens: data.max_batch_tokens,
    revision: data.profile_revision,
  }
}

function jsonIn(file: string): unknown {
  const text = textOf(file, file, MAX_PROFILE_BYTES)
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(file, 'it is no JSON')
  }
}

function tokenizerOf(file: string, given: z.infer<typeof profileSchema>['tokenizer']): ApiTokenizer {
  if (given.kind === 'cl100k_base') return given
  const json = textOf(file, resolve(dirname(file), given.path), MAX_TOKENIZER_BYTES)
  const sha256 = new Bun.CryptoHasher('sha256').update(json).digest('hex')
  if (sha256 !== given.sha256)
    throw wrong(file, `the SHA-256 of ${given.path} is ${sha256}, not ${given.sha256}`)
  return { kind: 'huggingface', json, sha256, addSpecialTokens: given.add_special_tokens }
}

function textOf(profile: string, file: string, most: number): string {
  try {
    if (statSync(file).size <= most) return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrong(profile, `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  throw wrong(profile, `${file} is larger than ${most / 1024 / 1024} MiB`)
}

function wrong(file: string, why: string): VaultError {
  return new VaultError('not_configured', `The profile ${file} is not right: ${why}.`, {
    hint: 'Correct it, or leave OBSIDIAN_EMBEDDING_API_PROFILE out: a safe number of characters is sent then.',
  })
}
