import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AnyClient, connect, type Files, startHttp, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

const SUBJECTS = [
  ['cat', 'kitten', 'feline', 'purr'],
  ['car', 'engine', 'motor', 'vehicle'],
]
const KEY = 'sk-very-secret'

/** What the embedding API does, and what it was sent. */
const api = {
  answer: 'right' as 'right' | 'down' | 'refuses' | 'other dimension' | 'slow',
  texts: [] as string[],
  keys: [] as (string | null)[],
}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    api.keys.push(request.headers.get('authorization'))
    const { input } = (await request.json()) as { input: string[] }
    api.texts.push(...input)
    if (api.answer === 'down') return new Response('no', { status: 503 })
    if (api.answer === 'refuses') return new Response(`no ${KEY}`, { status: 401 })
    if (api.answer === 'slow') await Bun.sleep(60_000)
    return Response.json({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) })
  },
})
afterAll(() => server.stop(true))

function vectorOf(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const vector = [...SUBJECTS.map((s) => words.filter((w) => s.includes(w)).length), 0.1]
  return api.answer === 'other dimension' ? [...vector, 0] : vector
}

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
  api.answer = 'right'
  api.texts.length = 0
  api.keys.length = 0
})

const API = {
  OBSIDIAN_EMBEDDINGS: 'true',
  OBSIDIAN_EMBEDDING_PROVIDER: 'api',
  OBSIDIAN_EMBEDDING_API_BASE: `http://127.0.0.1:${server.port}/v1`,
  OBSIDIAN_EMBEDDING_API_KEY: KEY,
  OBSIDIAN_EMBEDDING_API_MODEL: 'subjects',
  OBSIDIAN_EMBEDDING_API_TIMEOUT_SECS: '2',
  OBSIDIAN_EMBEDDING_DIM: '3',
}

async function serve(files: Files, env: Record<string, string> = {}) {
  const vault = temporaryVault(files)
  Object.assign(vault.env, API, env)
  opened.push({ close: () => vault.remove() })
  const client = await connect('modern stdio', vault)
  opened.push(client)
  return { vault, client }
}

interface Status {
  phase: string
  queryable: boolean
  indexed_notes: number
  pending_notes: number
  last_error?: string
}
async function embeddings(client: AnyClient) {
  const { structured } = await client.call('vault_info', {})
  return structured.embeddings as { source: string; availability: string; status: Status }
}
async function until(client: AnyClient, holds: (status: Status) => boolean): Promise<Status> {
  for (;;) {
    const { status } = await embeddings(client)
    if (holds(status)) return status
    await Bun.sleep(20)
  }
}
const ready = (client: AnyClient) => until(client, (status) => status.phase === 'ready')

interface ByteRange {
  start_byte: number
  end_byte: number
}
interface Hit {
  path: string
  score: number
  content?: string
  evidence: {
    scope: string
    heading_path: string[]
    range: ByteRange
    section_range: ByteRange
    cosine_similarity: number
  }
  preview: { text: string; range: ByteRange; complete_evidence: boolean }
  citation: string
  linked_from?: string
  match_percent: number
  explanation?: object
}

async function hits(client: AnyClient, args: Record<string, unknown>, tool = 'search_semantic') {
  const { structured, isError, text } = await client.call(tool, args)
  if (isError) throw new Error(text)
  return structured.results as Hit[]
}

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const at = (text: string, { start_byte, end_byte }: ByteRange) =>
  Buffer.from(text).subarray(start_byte, end_byte).toString()

const LONG = `\ufeff---\ntags: [x]\n---\n# Things\n\nGrüße.\n\n## Pets\n\n${'The kitten likes to purr. '.repeat(20)}\n\n## Cars\n\n${'An engine in a vehicle. '.repeat(20)}\n`

describe('what search_semantic shows', () => {
  test('a short note is its own evidence, in raw bytes of its revision', async () => {
    const text = '---\ntags: [home]\n---\n\n# Pets\n\nGrüße, a kitten 🐘.\n'
    const { client } = await serve({ 'pets.md': text, 'garage.md': 'The engine.\n' })
    await ready(client)
    const [first] = await hits(client, { query: 'feline' })
    expect(first).toMatchObject({
      path: 'pets.md',
      title: 'pets',
      tags: ['home'],
      source_revision: sha(text),
      source_bytes: Buffer.byteLength(text),
      evidence: { scope: 'note', heading_path: [], section_range: null },
      preview: { complete_evidence: true },
    })
    expect(at(text, first!.evidence.range)).toBe('# Pets\n\nGrüße, a kitten 🐘.')
    expect(at(text, first!.preview.range)).toBe(first!.preview.text)
    expect(first!.evidence.cosine_similarity).toBe(first!.score)
    for (const query of ['', '??'])
      expect((await client.call('search_semantic', { query })).structured).toMatchObject({
        results: [],
        notice: 'The query holds no word to look for.',
      })
  })

  test('a long one is shown by the section that is meant, with a preview of at most 300 characters', async () => {
    const { client } = await serve({ 'long.md': LONG })
    await ready(client)
    const [first] = await hits(client, { query: 'motor' })
    const { evidence, preview } = first!
    expect([evidence.scope, evidence.heading_path]).toEqual(['passage', ['Things', 'Cars']])
    expect(at(LONG, evidence.range)).toStartWith('An engine')
    expect(at(LONG, evidence.section_range)).toStartWith('## Cars\n')
    expect(at(LONG, preview.range)).toBe(preview.text)
    expect([preview.text.length <= 300, preview.complete_evidence]).toEqual([true, false])
    const [whole] = await hits(client, { query: 'motor', include_content: true })
    expect([whole!.content, whole!.preview]).toEqual([LONG, undefined])
  })

  test('a text that changed since is said to have changed, and no place in it is claimed', async () => {
    const { vault, client } = await serve(
      { 'pets.md': 'a kitten\n', 'b.md': 'x\n' },
      { OBSIDIAN_WATCH: 'false' },
    )
    await ready(client)
    writeFileSync(vault.path('pets.md'), 'all is new here\n')
    const [first] = await hits(client, { query: 'kitten' })
    expect(first).toMatchObject({ path: 'pets.md', source_status: 'changed' })
    expect([first!.evidence, first!.preview, first!.content]).toEqual([undefined, undefined, undefined])
    rmSync(vault.path('pets.md'))
    expect((await hits(client, { query: 'kitten' }))[0]).toMatchObject({ source_status: 'unavailable' })
  })

  test('excluded words and filters hold for meaning too', async () => {
    const { client } = await serve({
      'a/one.md': 'a kitten\n',
      'a/two.md': 'a kitten, a sofa\n',
      'b/three.md': '---\nk: v\n---\na feline #pet\n',
    })
    await ready(client)
    const paths = async (args: object) =>
      (await hits(client, { top_k: 5, ...args })).map((hit) => hit.path).sort()
    expect(await paths({ query: 'cat -sofa' })).toEqual(['a/one.md', 'b/three.md'])
    expect(await paths({ query: 'cat', path: 'a' })).toEqual(['a/one.md', 'a/two.md'])
    expect(await paths({ query: 'cat', tag: 'pet' })).toEqual(['b/three.md'])
    expect(await paths({ query: 'cat', where: [{ field: 'k', value: 'v' }] })).toEqual(['b/three.md'])
    expect(await paths({ query: 'cat NOT sofa', lexical_prefetch: true })).toEqual(['a/one.md', 'b/three.md'])
  })

  test('search_hybrid cites its passages and explains its scores', async () => {
    const { client } = await serve({
      'long.md': LONG,
      'other.md': '# Other\n\nA motor, see [[third]].\n',
      'third.md': 'Nothing.\n',
    })
    await ready(client)
    const found = await hits(
      client,
      { query: 'motor', explain: true, expand_links: true, limit: 2 },
      'search_hybrid',
    )
    expect(found.map((hit) => [hit.citation, hit.linked_from])).toEqual([
      ['other.md#Other', undefined],
      ['long.md#Cars', undefined],
      ['third.md', 'other.md'],
    ])
    expect(found[0]!.match_percent).toBe(100)
    expect(found[0]!.explanation).toMatchObject({ cosine_similarity: expect.any(Number) })
  })
})

describe('when something is wrong', () => {
  test('an API that is down is degraded and says so without the key; words, reads and writes go on', async () => {
    api.answer = 'down'
    const { client } = await serve({ 'pets.md': 'a kitten\n' })
    const status = await until(client, (s) => s.last_error !== undefined)
    expect(status).toMatchObject({ phase: 'degraded', queryable: false })
    expect(JSON.stringify(status)).not.toContain(KEY)
    expect((await client.call('search_semantic', { query: 'cat' })).isError).toBe(true)
    expect((await hits(client, { query: 'kitten' }, 'search_hybrid'))[0]).toMatchObject({ path: 'pets.md' })
    expect((await client.call('note_create', { path: 'new.md', content: 'x' })).isError).toBe(false)
    api.answer = 'right'
    await ready(client)
    expect((await hits(client, { query: 'cat' }))[0]).toMatchObject({ path: 'pets.md' })
  })

  test.each([['refuses'], ['other dimension']] as const)(
    'an API that %s is said, without the key',
    async (answer) => {
      const { client } = await serve({ 'pets.md': 'a kitten\n' })
      api.answer = answer
      await client.call('note_create', { path: 'new.md', content: 'an engine' })
      const { last_error } = await until(client, (s) => s.last_error !== undefined)
      expect(last_error).toMatch(answer === 'refuses' ? /401/ : /4 numbers, not 3/)
      expect(last_error).not.toContain(KEY)
    },
  )

  test('an API that does not answer keeps nobody waiting for words', async () => {
    api.answer = 'slow'
    const { client } = await serve({ 'pets.md': 'a kitten\n' })
    const begun = performance.now()
    expect((await hits(client, { query: 'kitten' }, 'search_text'))[0]).toMatchObject({ path: 'pets.md' })
    expect(performance.now() - begun).toBeLessThan(1500)
  })

  test('killed while it embeds, it goes on with what was kept, and nothing is lost', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`n${i}.md`, `kitten ${i}\n`]))
    const vault = temporaryVault(files)
    Object.assign(vault.env, API)
    opened.push({ close: () => vault.remove() })
    const running = await startHttp(vault)
    while (api.texts.length < 20) await Bun.sleep(2)
    await running.kill('SIGKILL')
    const client = await connect('modern stdio', vault)
    opened.push(client)
    const status = await ready(client)
    expect(status.indexed_notes).toBe(60)
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(vault.path(name), 'utf8')).toBe(text)
  })

  test('what was embedded is not sent again after a start, whatever else changed', async () => {
    const { vault, client } = await serve(
      { 'pets.md': 'a kitten\n', 'Private/diary.md': 'secretword\n' },
      { OBSIDIAN_EXCLUDE_PATHS: 'Private/' },
    )
    await ready(client)
    expect(api.texts.join('\n')).not.toContain('secretword')
    expect(new Set(api.keys)).toEqual(new Set([`Bearer ${KEY}`]))
    await client.close()
    api.texts.length = 0
    writeFileSync(vault.path('new.md'), 'an engine\n')
    const again = await connect('modern stdio', vault)
    opened.push(again)
    await until(again, (s) => s.phase === 'ready' && s.indexed_notes === 2)
    expect(api.texts.filter((text) => text.includes('kitten'))).toEqual([])
    expect(api.texts.some((text) => text.includes('engine'))).toBe(true)
  })
})
