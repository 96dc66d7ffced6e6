import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VaultError } from '../../../src/errors.ts'
import { knownLimits, OPENAI, readApiProfile } from '../../../src/vector/embedders/api_profile.ts'
import { tokenCounter } from '../../../src/vector/embedders/api_tokens.ts'

const TOKENIZER = join(import.meta.dir, '../../../models/bge-small-en-v1.5/tokenizer.json')
const api = { base: 'http://box:8000/v1', model: 'BAAI/bge-small-en-v1.5' }
const RIGHT = {
  version: 1,
  profile_revision: 'box-1',
  api_base: 'http://box:8000/v1/',
  model: 'BAAI/bge-small-en-v1.5',
  tokenizer: { kind: 'cl100k_base' } as object,
  max_input_tokens: 512,
  max_batch_inputs: 4,
  max_batch_tokens: 2048,
}

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knap-profile-'))
  mkdirSync(join(folder, 'sub'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(profile: unknown) {
  const file = join(folder, 'profile.json')
  writeFileSync(file, typeof profile === 'string' ? profile : JSON.stringify(profile))
  return readApiProfile(file, api)
}

test('a profile tells tokenizer and limits', () => {
  expect(read(RIGHT)).toEqual({
    tokenizer: { kind: 'cl100k_base' },
    maxTokens: 512,
    maxInputs: 4,
    maxBatchTokens: 2048,
    revision: 'box-1',
  })
})

test('a tokenizer lies beside its profile, and counts as the model does', async () => {
  const json = readFileSync(TOKENIZER, 'utf8')
  writeFileSync(join(folder, 'sub', 'tokenizer.json'), json)
  const sha256 = createHash('sha256').update(json).digest('hex')
  const tokenizer = { kind: 'huggingface', path: 'sub/tokenizer.json', sha256, add_special_tokens: true }
  const found = read({ ...RIGHT, tokenizer })
  expect(found.tokenizer).toMatchObject({ kind: 'huggingface', sha256, addSpecialTokens: true })
  const count = await tokenCounter(found.tokenizer)
  // [CLS] the kitten pu ##rr ##s [SEP]
  expect(await count(['the kitten purrs', ''])).toEqual([7, 2])
  const bare = await tokenCounter(
    read({ ...RIGHT, tokenizer: { ...tokenizer, add_special_tokens: false } }).tokenizer,
  )
  expect(await bare(['the kitten purrs'])).toEqual([5])
})

const file = { kind: 'huggingface', path: 'none.json', sha256: 'a'.repeat(64), add_special_tokens: true }
test.each([
  { what: 'no JSON', profile: '{', says: 'it is no JSON' },
  { what: 'another version', profile: { ...RIGHT, version: 2 }, says: 'version: ' },
  { what: 'an unknown field', profile: { ...RIGHT, api_key: 'x' }, says: 'api_key' },
  { what: 'a missing field', profile: { ...RIGHT, max_batch_inputs: undefined }, says: 'max_batch_inputs' },
  { what: 'a limit of nothing', profile: { ...RIGHT, max_input_tokens: 0 }, says: 'max_input_tokens' },
  { what: 'a limit in halves', profile: { ...RIGHT, max_batch_inputs: 1.5 }, says: 'max_batch_inputs' },
  {
    what: 'a batch smaller than a text',
    profile: { ...RIGHT, max_batch_tokens: 511 },
    says: 'no request could be sent',
  },
  {
    what: 'another address',
    profile: { ...RIGHT, api_base: 'http://box/v1' },
    says: 'it is for http://box/v1, not',
  },
  { what: 'another model', profile: { ...RIGHT, model: 'bge' }, says: 'it is for the model bge, not' },
  { what: 'an unknown tokenizer', profile: { ...RIGHT, tokenizer: { kind: 'gpt2' } }, says: 'tokenizer' },
  {
    what: 'more in the tokenizer',
    profile: { ...RIGHT, tokenizer: { kind: 'cl100k_base', path: 'x' } },
    says: 'path',
  },
  {
    what: 'a missing tokenizer',
    profile: { ...RIGHT, tokenizer: file },
    says: 'none.json cannot be read (ENOENT)',
  },
  {
    what: 'a hash in capitals',
    profile: { ...RIGHT, tokenizer: { ...file, sha256: 'A'.repeat(64) } },
    says: 'sha256',
  },
  {
    what: 'another tokenizer than was reviewed',
    profile: { ...RIGHT, tokenizer: { ...file, path: TOKENIZER } },
    says: `not ${'a'.repeat(64)}`,
  },
])('$what is refused before anything is sent', ({ profile, says }) => {
  try {
    read(profile)
    expect.unreachable()
  } catch (error) {
    const { code, message } = error as VaultError
    expect([code, message]).toEqual(['not_configured', expect.stringContaining(says)])
  }
})

test('a profile that is not there, or larger than 1 MiB, is refused by name', () => {
  expect(() => readApiProfile(join(folder, 'gone.json'), api)).toThrow('gone.json cannot be read (ENOENT)')
  const large = join(folder, 'large.json')
  writeFileSync(large, '')
  truncateSync(large, 1024 * 1024 + 1)
  expect(() => readApiProfile(large, api)).toThrow('large.json is larger than 1 MiB')
})

describe('what is known without a profile', () => {
  test.each([
    { base: OPENAI, model: 'text-embedding-3-small', right: 8192 },
    { base: OPENAI, model: 'text-embedding-3-large', right: 8192 },
    { base: OPENAI, model: 'text-embedding-ada-002', right: 8192 },
    { base: OPENAI, model: 'text-embedding-4', right: undefined },
    { base: 'https://openrouter.ai/api/v1', model: 'text-embedding-3-small', right: undefined },
    { base: 'http://api.openai.com/v1', model: 'text-embedding-3-small', right: undefined },
  ])('$model at $base: $right', ({ base, model, right }) => {
    expect(knownLimits(base, model)?.maxTokens).toBe(right as number)
  })

  test('tokens of cl100k_base, also where a note holds what looks like a special one', async () => {
    const count = await tokenCounter({ kind: 'cl100k_base' })
    expect(await count(['hello world', '', '全文检索', 'a <|endoftext|> b'])).toEqual([2, 0, 4, 8])
  })
})
