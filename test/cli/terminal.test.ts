import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMMAND, temporaryVault } from '../e2e/clients.ts'

setDefaultTimeout(30_000)
const vault = temporaryVault({
  'pets.md': '# Pets\n\nThe kitten purrs on the sofa.\n',
  'garage.md': '# Garage\n\n## Engine\n\nThe motor is loud.\n',
  'tea/green.md': '# Green\n\nSteep for two minutes.\n',
})
const folder = mkdtempSync(join(tmpdir(), 'knap-cli-'))
afterAll(() => {
  vault.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs one command to its end, with the embedder that needs no model. */
async function knap(
  args: readonly string[],
  env: Record<string, string> = { OBSIDIAN_EMBEDDING_PROVIDER: 'hash' },
) {
  const child = Bun.spawn([...COMMAND, ...args], {
    env: { ...vault.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { out, err, code: await child.exited }
}

describe('knap search', () => {
  test('prints hits with place and text, and as JSON', async () => {
    const { out, code } = await knap(['search', 'loud motor', vault.dir])
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^1\. garage\.md:5 # Engine {2}\(/)])
    const json = JSON.parse((await knap(['search', '--text', '--json', 'kitten', vault.dir])).out)
    expect(json.results).toEqual([
      expect.objectContaining({ path: 'pets.md', title: 'pets', line: 3, heading: 'Pets' }),
    ])
  })

  test('by meaning alone it waits until all is embedded; off it says how to turn it on', async () => {
    const json = JSON.parse((await knap(['search', '--semantic', '--json', 'kitten sofa', vault.dir])).out)
    expect(json.results[0].path).toBe('pets.md')
    const off = await knap(['search', '--semantic', 'kitten', vault.dir], { OBSIDIAN_EMBEDDINGS: 'false' })
    expect([off.code, off.out, off.err.includes('OBSIDIAN_EMBEDDINGS=true')]).toEqual([1, '', true])
  })

  test.each([
    [['search'], 'needs a query'],
    [['search', '--limit', '0', 'x'], '--limit 0'],
    [['search', 'a', 'b', 'c'], 'one word too many'],
    [['eval'], '--evals'],
  ])('%p says what is missing', async (args, says) => {
    const named = args.includes('c') ? [] : ['--vault', `v=${vault.dir}`]
    const { err, code, out } = await knap([...args, ...named])
    expect([code, out, err.includes(says)]).toEqual([2, '', true])
  })
})

test('knap index embeds everything, says so, and writes nothing into the vault', async () => {
  const { out, code } = await knap(['index', vault.dir])
  expect([code, out]).toEqual([0, 'Words: 3 notes.\nMeaning: 3 notes, hash-256.\n'])
  const json = JSON.parse((await knap(['index', '--rebuild', '--json', vault.dir])).out)
  expect(json.embeddings.status).toMatchObject({ phase: 'ready', indexed_notes: 3 })
  expect(readdirSync(vault.dir).sort()).toEqual(['.obsidian', 'garage.md', 'pets.md', 'tea'])
})

test('knap eval prints how well questions find their notes, and which do not', async () => {
  const evals = join(folder, 'evals.jsonl')
  writeFileSync(
    evals,
    [
      '{"query":"kitten","expectedSources":["pets.md"],"folders":[],"tags":[]}',
      '{"query":"steep","expectedSources":["tea/green.md"],"folders":["tea"],"tags":[]}',
      '{"query":"motor","expectedSources":["pets.md"],"folders":[],"tags":[]}',
    ].join('\n'),
  )
  const { out, code } = await knap(['eval', '--evals', evals, vault.dir])
  expect([code, out.split('\n').slice(0, 2)]).toEqual([0, ['3 questions', 'hit@1    0.667']])
  expect(out).toContain('Not first: motor')
})
