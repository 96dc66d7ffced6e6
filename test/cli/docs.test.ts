import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocsFlags, docsCommand } from '../../src/cli/docs.ts'
import { Library } from '../../src/docs/library.ts'
import type { CorpusSource } from '../../src/docs/source.ts'
import type { VaultError } from '../../src/errors.ts'
import { configureLog } from '../../src/logger.ts'

configureLog({ level: 'error' })
const root = mkdtempSync(join(tmpdir(), 'knap-cli-docs-'))
afterAll(() => {
  configureLog({ level: 'info' })
  rmSync(root, { recursive: true, force: true })
})

mkdirSync(join(root, 'manual', 'en'), { recursive: true })
mkdirSync(join(root, 'manual', 'de'))
writeFileSync(join(root, 'manual', 'en', 'A.md'), '# Views\n## Register\nCall registerView.')
writeFileSync(join(root, 'manual', 'de', 'B.md'), '# Ansichten\nWörter')
const source = (name: string): CorpusSource => ({
  name,
  place: { kind: 'folder', path: join(root, 'manual') },
  folders: [],
  prebuilt: null,
})

async function run(
  words: readonly string[],
  flags: Partial<DocsFlags> = {},
  names: readonly string[] = ['manual'],
): Promise<string> {
  const folder = join(root, 'cache', names.join())
  const library = await Library.open({ corpora: names.map(source), folder, openModel: null })
  try {
    const all = { corpus: undefined, limit: 3, json: false, cwd: root, say: () => {}, ...flags }
    return await docsCommand(library, words, all)
  } finally {
    await library.close()
  }
}

async function failure(words: readonly string[], flags?: Partial<DocsFlags>, names?: readonly string[]) {
  const error: VaultError = await run(words, flags, names).catch((e) => e)
  return `${error.code}: ${error.message} ${error.hint}`
}

test('before it is indexed', async () => {
  expect(await run(['status'])).toBe('manual (folder): not indexed\n')
  expect(await failure(['search', 'words'])).toMatch(/^not_ready: .*is not indexed\. docs_reindex/)
})

describe('indexed, it', () => {
  test('is counted', async () => {
    expect(await run(['index'])).toMatch(
      /^manual \(folder\): 2 chunks of 2 pages, 0 with vectors; read 20.*\n$/,
    )
    expect(await run([])).toMatch(/2 chunks/)
  })

  test('is searched', async () => {
    const text = await run(['search', 'registerView'])
    expect(text).toStartWith('1. A # Views > Register  (')
    expect(text).toContain('   Call registerView.')
    const { results } = JSON.parse(await run(['search', 'registerView'], { json: true }))
    expect(results[0]).toMatchObject({ corpus: 'manual', file_path: 'en/A.md', header: 'Views > Register' })
    expect(await run(['search', 'zzzz'])).toBe('Nothing was found.\n')
  })

  test('is written as one file', async () => {
    expect(await run(['export', 'out.knap'])).toBe(
      `manual: 2 chunks without vectors are in ${join(root, 'out.knap')}\n`,
    )
    expect(existsSync(join(root, 'out.knap'))).toBe(true)
  })

  test('is narrowed to folders', async () => {
    expect(await run(['index', 'en'])).toMatch(/1 chunks of 1 pages.*folders en/)
    expect(JSON.parse(await run(['status'], { json: true })).corpora[0].folders).toEqual(['en'])
  })
})

interface Fault {
  words: string[]
  names?: string[]
  flags?: Partial<DocsFlags>
  says: RegExp
}
test.each([
  {
    words: ['index', 'fr'],
    says: /^unavailable: manual was not indexed: .*no Markdown page in fr.*Its folders: de, en/,
  },
  {
    words: ['index', 'en'],
    names: ['a', 'b'],
    says: /^bad_argument: Which corpus\? Name it with --corpus: a, b/,
  },
  { words: ['export', 'x'], names: ['a', 'b'], says: /^bad_argument: Which corpus\?/ },
  {
    words: ['status'],
    flags: { corpus: 'manaul' },
    says: /^bad_argument: There is no corpus "manaul"\. Did you mean "manual"/,
  },
  { words: ['search'], says: /^bad_argument: What is to be done/ },
  { words: ['frobnicate', 'x'], says: /^bad_argument: What is to be done/ },
] as Fault[])('$words: $says', async ({ words, names, flags, says }) => {
  expect(await failure(words, flags, names)).toMatch(says)
})
