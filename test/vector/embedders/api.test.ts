import { describe, expect, test } from 'bun:test'
import type { VaultError } from '../../../src/errors.ts'
import { type ApiOptions, openApiEmbedder } from '../../../src/vector/embedders/api.ts'

const never = new AbortController().signal
const ok = (...vectors: number[][]) =>
  Response.json({ data: vectors.map((embedding, index) => ({ index, embedding })) })

/** An API that gives these answers one after the other; the last one again and again. */
function api(answers: (() => Response)[], more: Partial<ApiOptions> = {}) {
  const seen: { url: string; body: { input: string[]; model: string }; headers: Record<string, string> }[] =
    []
  const waits: number[] = []
  const options: ApiOptions = {
    base: 'http://127.0.0.1:1/v1',
    key: 'secret-key',
    model: 'm',
    dimensions: 2,
    timeoutMs: 10_000,
    batch: 2,
    limits: null,
    sleep: async (ms) => void waits.push(ms),
    fetch: async (url, init) => {
      seen.push({ url, body: JSON.parse(String(init.body)), headers: init.headers as Record<string, string> })
      return answers[Math.min(seen.length, answers.length) - 1]!()
    },
    ...more,
  }
  return { options, seen, waits }
}

describe('the embedding API', () => {
  test('is asked in batches with key and model, and its vectors are normalised and put in order', async () => {
    const swapped = () =>
      Response.json({
        data: [
          { index: 1, embedding: [0, 2] },
          { index: 0, embedding: [3, 4] },
        ],
      })
    const { options, seen } = api([swapped, () => ok([1, 0])])
    const embedder = await openApiEmbedder(options, never)
    const vectors = await embedder.embedDocuments(['a', 'b', 'c'], never)
    expect(vectors.map((v) => [...v].map((x) => Math.round(x * 10) / 10))).toEqual([
      [0.6, 0.8],
      [0, 1],
      [1, 0],
    ])
    expect(seen.map((s) => [s.url, s.body.input, s.body.model, s.headers.authorization])).toEqual([
      ['http://127.0.0.1:1/v1/embeddings', ['a', 'b'], 'm', 'Bearer secret-key'],
      ['http://127.0.0.1:1/v1/embeddings', ['c'], 'm', 'Bearer secret-key'],
    ])
  })

  test('base64 vectors are read too', async () => {
    const base64 = Buffer.from(new Float32Array([0, 1]).buffer).toString('base64')
    const { options } = api([() => Response.json({ data: [{ index: 0, embedding: base64 }] })])
    const embedder = await openApiEmbedder(options, never)
    expect([...(await embedder.embedQuery('q', never))]).toEqual([0, 1])
  })

  test('the dimension is asked for where none is set', async () => {
    const { options } = api([() => ok([1, 0, 0])], { dimensions: null })
    expect((await openApiEmbedder(options, never)).dimensions).toBe(3)
  })

  test('a query is repeated on passing failures, as long as the server says, at most four times', async () => {
    const busy = () => new Response('', { status: 429, headers: { 'retry-after': '2' } })
    const good = api([busy, () => new Response('', { status: 503 }), () => ok([1, 0])])
    expect([...(await (await openApiEmbedder(good.options, never)).embedQuery('q', never))]).toEqual([1, 0])
    expect(good.waits).toEqual([2000, 1000])
    const bad = api([() => new Response('', { status: 500 })])
    await expect((await openApiEmbedder(bad.options, never)).embedQuery('q', never)).rejects.toThrow(
      'answered 500',
    )
    expect(bad.seen).toHaveLength(4)
  })

  test('documents are sent once: whoever sends them comes back by himself', async () => {
    const { options, seen } = api([() => new Response('', { status: 503 })])
    await expect((await openApiEmbedder(options, never)).embedDocuments(['a'], never)).rejects.toThrow(
      'answered 503',
    )
    expect(seen).toHaveLength(1)
  })

  test.each([
    {
      what: 'a refusal',
      answer: () => new Response('your key secret-key is bad', { status: 401 }),
      says: 'answered 401',
    },
    { what: 'another shape', answer: () => Response.json({ vectors: [] }), says: 'no list of vectors' },
    { what: 'too few vectors', answer: () => Response.json({ data: [] }), says: 'no list of vectors' },
    {
      what: 'no numbers',
      answer: () => Response.json({ data: [{ embedding: ['x', 'y'] }] }),
      says: 'no list of vectors',
    },
    { what: 'another dimension', answer: () => ok([1, 0, 0]), says: 'vectors of 3 numbers' },
    { what: 'no JSON', answer: () => new Response('<html>'), says: 'cannot be reached' },
  ])('$what is an error that says so, without the key', async ({ answer, says }) => {
    const { options, seen } = api([answer])
    const embedder = await openApiEmbedder(options, never)
    try {
      await embedder.embedQuery('q', never)
      expect.unreachable()
    } catch (error) {
      const { message, hint, code } = error as VaultError
      expect([code, message]).toEqual(['unavailable', expect.stringContaining(says)])
      expect(`${message} ${hint}`).not.toContain('secret-key')
      expect(seen).toHaveLength(1)
    }
  })

  test('an API that does not answer in time is a timeout', async () => {
    const { options } = api([], {
      timeoutMs: 20,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        }),
    })
    const embedder = await openApiEmbedder(options, never)
    await expect(embedder.embedQuery('q', never)).rejects.toMatchObject({ code: 'timeout' })
  })

  const limits = {
    tokenizer: { kind: 'cl100k_base' as const },
    maxTokens: 5,
    maxInputs: 2,
    maxBatchTokens: 4,
    revision: 'r1',
  }

  test.each([
    { what: 'texts', texts: ['a', 'b', 'c'], right: [['a', 'b'], ['c']] },
    { what: 'tokens', texts: ['one two three', 'four five'], right: [['one two three'], ['four five']] },
    { what: 'a text that fills it', texts: ['a b c d', 'e', 'f'], right: [['a b c d'], ['e', 'f']] },
  ])('a request holds no more than the profile says, $what first reached', async ({ texts, right }) => {
    const sent: string[][] = []
    const { options } = api([], {
      batch: 256,
      limits,
      fetch: async (_, init) => {
        const { input } = JSON.parse(String(init.body)) as { input: string[] }
        sent.push(input)
        return ok(...input.map(() => [1, 0]))
      },
    })
    const embedder = await openApiEmbedder(options, never)
    expect([embedder.maxTokens, embedder.batch]).toEqual([5, 2])
    expect(await embedder.embedDocuments(texts, never)).toHaveLength(texts.length)
    expect(sent).toEqual(right.map((part) => [...part]))
  })

  test('a request holds at most 16 MiB', async () => {
    const { options, seen } = api([() => ok([1, 0])], { batch: 256 })
    const embedder = await openApiEmbedder(options, never)
    await embedder.embedDocuments(['x'.repeat(9_000_000), 'y'.repeat(9_000_000)], never)
    expect(seen.map(({ body }) => body.input.length)).toEqual([1, 1])
  })

  test('another contract or another tokenizer is another model identity', async () => {
    const identity = async (more: Partial<typeof limits>) =>
      (await openApiEmbedder(api([], { limits: { ...limits, ...more } }).options, never)).identity
    const all = await Promise.all([identity({}), identity({ revision: 'r2' }), identity({ maxTokens: 6 })])
    expect(new Set(all).size).toBe(3)
    expect(await identity({})).toBe(all[0]!)
  })
})
