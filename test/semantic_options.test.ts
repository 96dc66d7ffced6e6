import { describe, expect, test } from 'bun:test'
import { chooseModel } from '../src/semantic_options.ts'
import { LOCAL_MODELS } from '../src/vector/embedders/local_models.ts'

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
