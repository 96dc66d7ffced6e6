import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from '../e2e/clients.ts'

setDefaultTimeout(60_000)

/** Two hundred secrets where no reader may look, each another word. */
const secret = (i: number) => `qzsecret${i.toString(26).padStart(3, 'z')}x`
const SECRETS = Array.from({ length: 200 }, (_, i) => secret(i))

const CLOSED = ['Private', 'Denied', '.obsidian', '.git', 'Ignored', 'Unwanted/sub']
const ENV = {
  OBSIDIAN_EXCLUDE_PATHS: 'Private/,Unwanted/sub/',
  OBSIDIAN_DENY_PATHS: 'Denied/',
  OBSIDIAN_EMBEDDINGS: 'true',
  OBSIDIAN_EMBEDDING_PROVIDER: 'hash',
  OBSIDIAN_EMBEDDING_API_KEY: secret(0),
  OBSIDIAN_HTTP_TOKEN: secret(1),
  OPENAI_API_KEY: secret(2),
}

function hidden(i: number): [path: string, text: string] {
  const folder = CLOSED[i % CLOSED.length]
  const word = secret(i)
  return [
    `${folder}/${word}.md`,
    `---\ntags: [${word}]\n${word}: ${word}\naliases: [${word}]\n---\n# ${word}\n\n[[a]] ${word} ^${word}\n\n- [ ] ${word} #${word}\n`,
  ]
}

let vault: TemporaryVault
let client: AnyClient

beforeAll(async () => {
  vault = temporaryVault({
    'a.md': '# A\n\nplain text [[b]]\n',
    'b.md': '---\ntags: [open]\n---\n[[a]] #open\n',
    'Daily/2026-01-01.md': 'day\n',
    '.knapignore': 'Ignored/\n',
    ...Object.fromEntries(SECRETS.slice(3).map((_, i) => hidden(i + 3))),
  })
  Object.assign(vault.env, ENV)
  client = await connect('modern stdio', vault)
  await client.call('index', { action: 'rebuild' })
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

/** What a curious reader would try; `$` stands for a secret or for the beginning of all. */
const QUESTIONS: readonly [tool: string, args: Record<string, unknown>][] = [
  ['vault_info', {}],
  ['vault_list', {}],
  ['vault_list', { format: 'tree', include_metadata: true }],
  ['vault_list', { glob: '**/*$*' }],
  ['vault_list', { path: 'Private' }],
  ['vault_list', { path: 'Denied' }],
  ['vault_list', { path: '.obsidian' }],
  ['note_read', { path: '$' }],
  ['note_read', { path: 'Private/$.md' }],
  ['note_read', { path: 'Denied/$' }],
  ['note_read', { path: '.git/$.md' }],
  ['note_read', { path: 'Privat/$.md' }],
  ['note_read_many', { dir: '' }],
  ['note_read_many', { paths: ['Private/$.md', 'Ignored/$'] }],
  ['search_text', { query: '$' }],
  ['search_text', { query: 'qzsecret*' }],
  ['search_text', { query: 'qzsecrez', fuzzy: true }],
  ['search_text', { query: '-plain' }],
  ['search_text', { query: 'tag:$' }],
  ['search_regex', { pattern: 'qzsecret\\w+' }],
  ['search_metadata', { type: 'tag', tag: '$' }],
  ['search_metadata', { type: 'frontmatter', field: '$', operator: 'exists' }],
  ['search_semantic', { query: '$' }],
  ['search_hybrid', { query: '$', expand_links: true }],
  ['note_find', { query: '$' }],
  ['note_find', { query: 'qzsec' }],
  ['note_find', { recent: true, limit: 100 }],
  ['note_inspect', { path: 'a' }],
  ['note_inspect', { path: 'Private/$' }],
  ['wikilinks', { query: 'backlinks', path: 'a' }],
  ['wikilinks', { query: 'unlinked', path: 'a' }],
  ['wikilinks', { query: 'orphans' }],
  ['wikilinks', { query: 'broken' }],
  ['wikilinks', { query: 'neighbours', path: 'a', depth: 3 }],
  ['tags', { action: 'list' }],
  ['tags', { action: 'rename', tag: '$', to: 'x', dry_run: true }],
  ['tasks', { action: 'list' }],
  ['tasks', { action: 'list', path: 'Denied/$.md' }],
  ['history', { action: 'list' }],
  ['index', { action: 'status' }],
  ['attachments', { action: 'list' }],
  ['attachments', { action: 'orphans' }],
  ['periodic', { action: 'list', period: 'daily' }],
  ['note_create', { path: 'n', template: 'Private/$' }],
  ['note_move', { from: 'Private/$.md', to: 'x.md', dry_run: true }],
  ['note_move', { from: 'a.md', to: 'c.md', dry_run: true }],
  ['note_replace', { paths: ['Private/$.md'], search: 'qzsecret', replace: 'x', dry_run: true }],
  ['frontmatter', { action: 'get', path: 'Ignored/$' }],
]

test('no answer of any tool holds a secret that it was not asked with', async () => {
  for (const [tool, args] of QUESTIONS)
    for (const asked of ['qzsecret', secret(100), secret(57)]) {
      const filled = JSON.parse(JSON.stringify(args).replaceAll('$', asked))
      const { text, structured } = await client.call(tool, filled)
      // The question itself may come back, as the name that was not found.
      const said = (text + JSON.stringify(structured)).replaceAll(asked === 'qzsecret' ? '\0' : asked, '')
      const found = SECRETS.filter((word) => said.includes(word))
      expect([tool, filled, found]).toEqual([tool, filled, []])
    }
})

test('a secret that is asked for by its full name is not confirmed', async () => {
  for (const folder of CLOSED) {
    const real = SECRETS.slice(3).find((_, i) => CLOSED[(i + 3) % CLOSED.length] === folder) as string
    const asked = async (name: string) => {
      const { text } = await client.call('note_read', { path: `${folder}/${name}.md` })
      return text.replaceAll(name, 'NAME')
    }
    expect(await asked(real)).toBe(await asked('qznothing'))
  }
})
