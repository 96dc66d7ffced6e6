import { describe, expect, test } from 'bun:test'
import type { VaultError } from '../src/errors.ts'
import { chooseModel, semanticOptions } from '../src/semantic_options.ts'
import { LOCAL_MODELS } from '../src/vector/embedders/local_models.ts'
import { load, VAULT } from './config/load.ts'

const [bge, e5] = LOCAL_MODELS.map((model) => ({ model, folder: '/models' }))
const BGE = 'bge-small-en-v1.5'
const E5 = 'multilingual-e5-small'

describe('the model that fits', () => {
  test.each([
    { vault: 'English', foreign: 0, current: null, atHand: [bge!, e5!], right: BGE },
    { vault: 'a few quotes', foreign: 0.05, current: null, atHand: [bge!, e5!], right: BGE },
    { vault: 'one note in ten', foreign: 0.1, current: null, atHand: [bge!, e5!], right: E5 },
    { vault: 'German, one model here', foreign: 1, current: null, atHand: [bge!], right: BGE },
    { vault: 'English, the other model here', foreign: 0, current: null, atHand: [e5!], right: E5 },
    { vault: 'German, downloads allowed', foreign: 1, current: null, atHand: null, right: E5 },
    { vault: 'fewer than before', foreign: 0.05, current: `local-${E5}-x#1`, atHand: [bge!, e5!], right: E5 },
    { vault: 'none any more', foreign: 0.02, current: `local-${E5}-x#1`, atHand: [bge!, e5!], right: BGE },
  ])('$vault: $right', ({ foreign, current, atHand, right }) => {
    expect(chooseModel({ foreign, current }, atHand)).toBe(right)
  })
})

describe('what the settings ask for', () => {
  const optionsOf = (env: Record<string, string>) =>
    semanticOptions(load({ env: { ...VAULT, ...env } }).config)
  const API = {
    OBSIDIAN_EMBEDDINGS: 'true',
    OBSIDIAN_EMBEDDING_PROVIDER: 'api',
    OBSIDIAN_EMBEDDING_API_BASE: 'http://box:1/v1',
    OBSIDIAN_EMBEDDING_API_MODEL: 'm',
  }

  test.each([
    {
      what: 'nothing',
      env: {},
      right: { source: 'local', startAfterMs: 5000, notesAtOnce: 32, graphFrom: 20_000 },
    },
    {
      what: 'meaning at once',
      env: { OBSIDIAN_EMBEDDINGS: 'true' },
      right: { source: 'local', startAfterMs: 0 },
    },
    { what: 'an API', env: API, right: { source: 'api', startAfterMs: 0 } },
    { what: 'no model', env: { OBSIDIAN_EMBEDDING_PROVIDER: 'hash' }, right: { source: 'hash' } },
    { what: 'small steps', env: { OBSIDIAN_EMBEDDING_BATCH_SIZE: '4' }, right: { notesAtOnce: 4 } },
    { what: 'a graph early', env: { OBSIDIAN_SEMANTIC_GRAPH_FROM: '100' }, right: { graphFrom: 100 } },
  ])('$what', ({ env, right }) => {
    expect(optionsOf(env)).toMatchObject(right)
  })

  test('off is off', () => {
    expect(optionsOf({ OBSIDIAN_EMBEDDINGS: 'false' })).toBeNull()
  })

  test.each([
    {
      what: 'a profile that is not there',
      env: { ...API, OBSIDIAN_EMBEDDING_API_PROFILE: '/none/profile.json' },
      says: 'The profile /none/profile.json is not right: /none/profile.json cannot be read (ENOENT).',
    },
    {
      what: 'a certificate that is not there',
      env: { ...API, OBSIDIAN_EMBEDDING_CA_CERT: '/none/ca.pem' },
      says: 'The certificate /none/ca.pem cannot be read (ENOENT).',
    },
  ])('$what stops the start', ({ env, says }) => {
    try {
      optionsOf(env)
      expect.unreachable()
    } catch (error) {
      const { code, message } = error as VaultError
      expect([code, message]).toEqual(['not_configured', says])
    }
  })

  test('a model that this machine lacks is an error when it is to be used, and names the command that brings it', async () => {
    const options = optionsOf({
      OBSIDIAN_EMBEDDINGS: 'true',
      OBSIDIAN_EMBEDDINGS_MODEL: 'multilingual-e5-small',
      OBSIDIAN_MODEL_PATH: '/none',
    })
    const opened = options?.open({ foreign: 0, current: null }, new AbortController().signal)
    await expect(opened!).rejects.toMatchObject({
      code: 'not_configured',
      message: 'The embedding model multilingual-e5-small is not on this machine.',
      hint: expect.stringContaining('knap model pull multilingual-e5-small'),
    })
  })
})
