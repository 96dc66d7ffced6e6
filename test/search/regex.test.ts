import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRegexSearcher, type RegexQuery } from '../../src/search/regex.ts'
import { createRegexThread } from '../../src/search/regex_thread.ts'

const searcher = createRegexSearcher()
afterAll(() => searcher.close())

const encoder = new TextEncoder()

function ask(files: Record<string, string>, query: Partial<RegexQuery> & { pattern: string }) {
  const read: RegexQuery['read'] = async (path) => {
    const text = files[path]
    return text === undefined ? null : encoder.encode(text)
  }
  return searcher.search({ paths: Object.keys(files).sort(), read, ...query })
}

const FILES = { 'a.md': '---\nid: AB-12\n---\nText bat\nline two\n', 'b.md': 'BAT http://x.y/z\n' }

test.each<[pattern: string, flags: string, right: string[]]>([
  ['b[aeiou]t', '', ['a.md']],
  ['(?i)b[aeiou]t', '', ['a.md', 'b.md']],
  ['b[aeiou]t', 'gi', ['a.md', 'b.md']],
  ['AB-\\d+', '', ['a.md']],
  ['https?://\\S+', '', ['b.md']],
  ['^line', '', []],
  ['^line two$', 'm', ['a.md']],
  ['id.*line', '', []],
  ['id.*line', 's', ['a.md']],
  ['nowhere', '', []],
])('%s with flags %j is in %j', async (pattern, flags, right) => {
  const { results, truncated } = await ask(FILES, { pattern, flags })
  expect(results.map(({ path }) => path)).toEqual(right)
  expect(truncated).toBe(false)
})

describe('refused', () => {
  test.each([
    ['[invalid', '', 'missing closing ]'],
    ['a'.repeat(1001), '', '1001 bytes'],
    ['é'.repeat(501), '', '1002 bytes'],
    ['(?=x)', '', 'pattern: '],
    ['(?<=x)y', '', 'pattern: '],
    ['(a)\\1', '', 'pattern: '],
    ['*', '', 'pattern: '],
    ['x', 'x', 'flags: "x"'],
  ])('%.12s with flags %j', async (pattern, flags, words) => {
    const error = await ask(FILES, { pattern, flags }).catch((e) => e)
    expect(error).toMatchObject({ code: 'bad_argument', message: expect.stringContaining(words) })
    expect(error.hint).not.toBe('')
  })

  test('1000 bytes are fine', async () => {
    expect((await ask(FILES, { pattern: 'a'.repeat(1000) })).results).toEqual([])
  })
})

describe('how much', () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`n${String(i).padStart(3, '0')}.md`, 'hit\n']),
  )

  test.each([
    [undefined, 20, true],
    [0, 0, true],
    [499, 499, true],
    [500, 500, false],
    [1000, 500, false],
  ])('max_results %p gives %p, more: %p', async (maxResults, right, truncated) => {
    const result = await ask(many, { pattern: 'hit', ...(maxResults === undefined ? {} : { maxResults }) })
    expect(result.results.map(({ path }) => path)).toEqual(Object.keys(many).slice(0, right))
    expect(result.truncated).toBe(truncated)
    expect(result.stopped).toBe(truncated ? 'max_results' : null)
  })

  test('few files are read where the first ones answer', async () => {
    const result = await ask(many, { pattern: 'hit', maxResults: 5 })
    expect(result.searched).toBeLessThan(300)
  })

  test('an answer does not grow without bound', async () => {
    const long = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.md`, 'hit '.repeat(10_000)]))
    const result = await ask(long, { pattern: 'hit', contextLength: 2000, maxResults: 200 })
    expect(result).toMatchObject({ truncated: true, stopped: 'size' })
    expect(JSON.stringify(result).length).toBeLessThan(2_000_000)
  })

  test('without time left the answer is what was found', async () => {
    const result = await ask(many, { pattern: 'hit', maxResults: 500, timeoutMs: 0 })
    expect(result.truncated).toBe(true)
    expect(result.results.length).toBeGreaterThan(0)
  })
})

test('files that are gone or unreadable are counted and the others searched', async () => {
  const result = await ask(FILES, { pattern: 'bat', paths: ['a.md', 'gone.md'] })
  expect(result).toMatchObject({ results: [{ path: 'a.md' }], unreadable: ['gone.md'], truncated: false })
})

test('an error while reading reaches the caller', async () => {
  const read = () => Promise.reject(new Error('cable cut'))
  await expect(ask(FILES, { pattern: 'bat', read })).rejects.toThrow('cable cut')
})

test("bytes that the caller shares with others stay the caller's", async () => {
  const shared = encoder.encode('xx a word here')
  const read = async () => shared.subarray(3)
  expect((await ask({ 'a.md': '' }, { pattern: 'word', read })).results).toHaveLength(1)
  expect(shared.length).toBe(14)
})

test.each(['(a+)+$', '(a|aa)+$', '(.*a){12}b', '(a*)*b', '([a-z]+)*x'])(
  'the pattern %s, ruinous for backtracking, is answered',
  async (pattern) => {
    const result = await ask({ 'a.md': `${'a'.repeat(5000)}!\n`, 'b.md': 'ok\n' }, { pattern })
    expect(result.results).toEqual([])
  },
)

test('a note that takes too long ends its search with a timeout, and the next search is answered', async () => {
  const thread = createRegexThread()
  const own = createRegexSearcher(thread)
  const job = { pattern: '(x+x+)+y', files: [encoder.encode('x'.repeat(4_000_000))], most: 1 }
  await expect(thread.run({ ...job, options: { contextLength: 1, maxMatches: 1 } }, 1)).rejects.toMatchObject(
    {
      code: 'timeout',
    },
  )
  expect(thread.running).toBe(false)
  const read = async () => encoder.encode('ok')
  expect((await own.search({ pattern: 'ok', paths: ['a.md'], read })).results).toHaveLength(1)
  own.close()
})

test('the thread starts with the first search and ends when it is idle', async () => {
  const thread = createRegexThread(1)
  expect(thread.running).toBe(false)
  const own = createRegexSearcher(thread)
  await own.search({ pattern: 'ok', paths: ['a.md'], read: async () => encoder.encode('ok') })
  expect(thread.running).toBe(true)
  while (thread.running) await new Promise((resolve) => setImmediate(resolve))
  await own.search({ pattern: 'ok', paths: ['a.md'], read: async () => encoder.encode('ok') })
  own.close()
  expect(thread.running).toBe(false)
})

test('many searches at once answer as each would alone', async () => {
  const word = fc.sample(fc.constantFrom('bat', 'BAT', 'two', 'id', 'zz'), 40)
  const answers = await Promise.all(word.map((pattern) => ask(FILES, { pattern })))
  const alone = await Promise.all(word.map(async (pattern) => await ask(FILES, { pattern })))
  expect(answers).toEqual(alone)
  for (const [i, pattern] of word.entries()) {
    const right = Object.entries(FILES).filter(([, text]) => text.includes(pattern))
    expect(answers[i]?.results.map(({ path }) => path)).toEqual(right.map(([path]) => path))
  }
})
