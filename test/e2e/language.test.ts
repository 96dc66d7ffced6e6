import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, temporaryVault } from './clients.ts'

setDefaultTimeout(60_000)
const vault = temporaryVault({ 'Tiere.md': 'Katzen\n' })
afterAll(() => vault.remove())

/** What a fresh start with these languages finds, also on a snapshot that was made for others. */
async function found(languages: string): Promise<unknown[]> {
  const client = await connect('modern stdio', vault, ['--standalone', '--language', languages])
  try {
    for (;;) {
      const { structured } = await client.call('search_text', { query: 'Katze', max_results: 5 })
      if ((structured.index as { state: string }).state === 'ready')
        return (structured.results as { path: string }[]).map(({ path }) => path)
    }
  } finally {
    await client.close()
  }
}

test('the languages that are set choose the word forms, from one start to the next', async () => {
  expect(await found('auto')).toEqual([])
  expect(await found('de')).toEqual(['Tiere.md'])
  expect(await found('en,de')).toEqual(['Tiere.md'])
  expect(await found('auto')).toEqual([])
})
