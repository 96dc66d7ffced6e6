import { VaultError } from '../../errors.ts'
import type { ApiTokenizer } from './api_profile.ts'

/** Tokens of one text, special ones included. */
type Counter = (text: string) => number

/** Counting gives others their turn after so many milliseconds. */
const SLICE_MS = 20

/** Counts as a service counts: never fewer. @throws VaultError `not_configured` where the tokenizer cannot be had */
export async function tokenCounter(
  tokenizer: ApiTokenizer,
): Promise<(texts: readonly string[]) => Promise<number[]>> {
  const count = await counterOf(tokenizer)
  return async (texts) => {
    const counts: number[] = []
    let until = performance.now() + SLICE_MS
    for (const text of texts) {
      counts.push(count(text))
      if (performance.now() < until) continue
      await new Promise((resolve) => setImmediate(resolve))
      until = performance.now() + SLICE_MS
    }
    return counts
  }
}

async function counterOf(tokenizer: ApiTokenizer): Promise<Counter> {
  if (tokenizer.kind === 'cl100k_base') {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base').catch(missing)
    // In a note, `<|endoftext|>` is text as any other.
    const plain = { disallowedSpecial: new Set<string>() }
    return (text) => countTokens(text, plain)
  }
  const { Tokenizer } = await import('@huggingface/tokenizers').catch(missing)
  try {
    const found = new Tokenizer(JSON.parse(tokenizer.json), {})
    const options = { add_special_tokens: tokenizer.addSpecialTokens }
    return (text) => found.encode(text, options).ids.length
  } catch (error) {
    throw new VaultError('not_configured', 'The tokenizer of the embedding profile cannot be used.', {
      hint: 'It takes the complete tokenizer.json of the model.',
      cause: error,
    })
  }
}

function missing(): never {
  throw new VaultError(
    'not_configured',
    'The package for the tokenizer of the embedding API is not installed.',
    {
      hint: 'Install Knap with its optional dependencies.',
    },
  )
}
