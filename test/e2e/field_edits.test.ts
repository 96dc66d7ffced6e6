import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

/** What people ran into with servers of this kind: one note, one call, the right bytes or the right refusal. */
interface Case {
  readonly what: string
  readonly before: string
  readonly tool: string
  readonly args: Record<string, unknown>
  /** The note afterwards; left out where nothing may change. */
  readonly after?: string
  readonly code?: string
}

const patch = (target_type: string, operation: string, target: string, content?: string, more = {}) => ({
  tool: 'note_patch',
  args: { target_type, operation, target, ...(content === undefined ? {} : { content }), ...more },
})
const heading = (operation: string, target: string, content?: string, more = {}) =>
  patch('heading', operation, target, content, more)
const block = (operation: string, target: string, content?: string) =>
  patch('block', operation, target, content)
const set = (key: string, value: unknown) => ({ tool: 'frontmatter', args: { action: 'set', key, value } })
const remove = (key: string) => ({ tool: 'frontmatter', args: { action: 'remove', key } })

const cases: readonly Case[] = [
  {
    what: 'a leaf name that fits one heading',
    before: '# T\n\n## A\nx\n',
    ...heading('append', 'A', 'y'),
    after: '# T\n\n## A\nx\n\ny\n',
  },
  {
    what: 'no heading of that name',
    before: '# T\n',
    ...heading('append', 'A', 'y'),
    code: 'target_not_found',
  },
  {
    what: 'a heading is made on request alone',
    before: '# T\n',
    ...heading('append', 'T::A', 'y', { create_if_missing: true }),
    after: '# T\n\n## A\ny\n',
  },
  {
    what: 'a section at the root without a title above it',
    before: '## End\n\nMark.',
    ...heading('replace', 'End', '## End\n\nNew.'),
    after: '## End\n\nNew.',
  },
  {
    what: 'a heading inside a table cell is none',
    before: '# S\n\n| ref | ## Links |\n|---|---|\n\n# Links\nl\n',
    ...heading('replace', 'Links', 'n'),
    after: '# S\n\n| ref | ## Links |\n|---|---|\n\n# Links\nn\n',
  },
  {
    what: 'a heading inside a comment is none',
    before: '# A\n%%\n## no\n%%\n',
    ...heading('append', 'no', 'x'),
    code: 'target_not_found',
  },
  {
    what: 'a heading inside a list item or HTML is none',
    before: '- item\n  ## x\n\n<details>\n## x\n</details>\n',
    ...heading('append', 'x', 'z'),
    code: 'target_not_found',
  },
  {
    what: 'an id inside a table row belongs to nothing',
    before: '| a |\n|---|\n| 1 ^cell |\n',
    ...block('replace', 'cell', 'z'),
    code: 'target_not_found',
  },
  {
    what: 'an id below a fence leads to the fence',
    before: '```js\nold\n```\n^f\n\nend\n',
    ...block('replace', 'f', 'new'),
    after: '```js\nnew\n```\n^f\n\nend\n',
  },
  {
    what: 'an item with children stays whole',
    before: '- a ^i\n  - kid\n- b\n',
    ...block('append', 'i', '- new'),
    after: '- a ^i\n  - kid\n- new\n- b\n',
  },
  {
    what: 'tags in a heading are a part of its text',
    before: '## Open #urgent\na\n',
    ...heading('replace', '## Open', 'b'),
    code: 'target_not_found',
  },
  {
    what: 'a heading that would end the section',
    before: '## Obs\no\n\n## Next\n',
    ...heading('replace', 'Obs', 'n\n\n## Next\nx'),
    code: 'bad_argument',
  },
  {
    what: 'one that goes deeper',
    before: '## Obs\no\n\n## Next\n',
    ...heading('replace', 'Obs', 'n\n\n### Deep\nx'),
    after: '## Obs\nn\n\n### Deep\nx\n\n## Next\n',
  },
  {
    what: 'the line ends of the note',
    before: '# t1\r\nfoo\r\n# t2\r\nbar',
    ...heading('append', 't1', 'baz\nqux'),
    after: '# t1\r\nfoo\r\n\r\nbaz\r\nqux\r\n# t2\r\nbar',
  },
  {
    what: 'an empty section at the end without a line end',
    before: '# I\nhi\n## Tasks',
    ...heading('replace', 'Tasks', '- do'),
    after: '# I\nhi\n## Tasks\n- do',
  },
  {
    what: 'marks in front of the name choose the level',
    before: '# People\na\n### People\nb\n',
    ...heading('append', '### People', '- x'),
    after: '# People\na\n### People\nb\n- x\n',
  },
  {
    what: 'two headings of one name',
    before: '## Log\n1\n## Log\n2\n',
    ...heading('append', 'Log', 'x'),
    code: 'ambiguous',
  },
  {
    what: 'a no-break space and other forms of the same letters',
    before: '# Informacio\u0301n\u00a0y  más\n1\n',
    ...heading('replace', 'Información y más', '2'),
    after: '# Informacio\u0301n\u00a0y  más\n2\n',
  },
  {
    what: 'text before an underlined heading',
    before: '# A\n```\nx\n```\nNext\n====\n',
    ...heading('append', 'A', 'new'),
    after: '# A\n```\nx\n```\nnew\n\nNext\n====\n',
  },
  {
    what: 'signs that replacement functions give a meaning',
    before: 'cost TOKEN\n',
    tool: 'note_replace',
    args: { search: 'TOKEN', replace: "$$100 $& $` $' $1" },
    after: "cost $$100 $& $` $' $1\n",
  },
  {
    what: 'a phrase that also stands in the properties',
    before: '---\ntitle: Q3 Plan\n---\nQ3 Plan is\n',
    tool: 'note_replace',
    args: { search: 'Q3 Plan', replace: 'Q3: Plan' },
    after: '---\ntitle: Q3 Plan\n---\nQ3: Plan is\n',
  },
  {
    what: 'a replacement that would break the properties',
    before: '---\ntitle: Q3 Plan\n---\nx\n',
    tool: 'note_replace',
    args: { search: 'Q3 Plan', replace: 'Q3: Plan', scope: 'whole' },
    code: 'bad_frontmatter',
  },
  {
    what: 'several matches and no word how many',
    before: 'a a\n',
    tool: 'note_replace',
    args: { search: 'a', replace: 'b' },
    code: 'ambiguous',
  },
  {
    what: 'one marker of a task in a quote, and nothing else',
    before: '> - [ ] x ⌛️ 2024-01-01\n',
    tool: 'tasks',
    args: { action: 'set', line: 1, status: '/' },
    after: '> - [/] x ⌛️ 2024-01-01\n',
  },
  {
    what: 'a task in code',
    before: '```\n- [ ] x\n```\n',
    tool: 'tasks',
    args: { action: 'set', line: 2, status: 'x' },
    code: 'target_not_found',
  },
  {
    what: 'YAML that does not parse',
    before: '---\ntags: [a\n---\nx',
    ...set('k', 1),
    code: 'bad_frontmatter',
  },
  { what: 'a block that never closes', before: '---\nk: 1\nx', ...set('k', 1), code: 'bad_frontmatter' },
  {
    what: 'a letter between two rules',
    before: '---\nACME Corp\n---\nDear',
    ...set('k', 1),
    code: 'bad_frontmatter',
  },
  {
    what: 'a rule further down is no block',
    before: '# N\n\n---\n\nmore',
    ...set('id', 1),
    after: '---\nid: 1\n---\n# N\n\n---\n\nmore',
  },
  {
    what: 'comments, quotes, lists and dates of other keys',
    before: '---\n# why\nt: \'x\'\ntags: [a, b]\nup: "[[H]]"\nd: 2026-03-16\n---\nb\n',
    ...set('s', 'done'),
    after: '---\n# why\nt: \'x\'\ntags: [a, b]\nup: "[[H]]"\nd: 2026-03-16\ns: done\n---\nb\n',
  },
  {
    what: 'a link as a value',
    before: '---\na: 1\n---\n',
    ...set('up', '[[Home]]'),
    after: '---\na: 1\nup: "[[Home]]"\n---\n',
  },
  {
    what: 'text that looks like a number',
    before: '---\na: 1\n---\n',
    ...set('v', '1.10'),
    after: '---\na: 1\nv: "1.10"\n---\n',
  },
  {
    what: 'a version sent as the content of a patch',
    before: '---\nv: 1.9\n---\n',
    ...patch('frontmatter', 'replace', 'v', '1.10'),
    after: '---\nv: "1.10"\n---\n',
  },
  {
    what: 'one more item in a flow list',
    before: '---\ntags: [x]\n---\n',
    ...patch('frontmatter', 'append', 'tags', 'y'),
    after: '---\ntags: [x, y]\n---\n',
  },
  {
    what: 'the last key leaves an empty block',
    before: '---\na: 1\n---\nb',
    ...remove('a'),
    after: '---\n---\nb',
  },
  {
    what: 'a byte-order mark stays',
    before: '\ufeff---\r\na: 1\r\n---\r\n',
    ...set('a', 2),
    after: '\ufeff---\r\na: 2\r\n---\r\n',
  },
  { what: 'a whole block sent as the key', before: 'x\n', ...set('a: 1\nb: 2', 'v'), code: 'bad_argument' },
  {
    what: 'an anchor that another key leans on',
    before: '---\nbase: &b {x: 1}\ncopy: *b\n---\n',
    ...remove('base'),
    code: 'bad_frontmatter',
  },
  {
    what: 'a text of several lines',
    before: '---\na: 1\n---\n',
    ...set('n', 'one\ntwo'),
    after: '---\na: 1\nn: |-\n  one\n  two\n---\n',
  },
  {
    what: 'half of the properties taken out by lines',
    before: '---\na: 1\n---\nx\n',
    ...patch('lines', 'delete', '1-2'),
    code: 'bad_frontmatter',
  },
  {
    what: 'text at the end without a line end',
    before: '---\nk: 1\n---',
    tool: 'note_insert',
    args: { content: 'x' },
    after: '---\nk: 1\n---\nx',
  },
  {
    what: 'the body alone',
    before: '---\n# why\nk: 1\n---\nold\n',
    tool: 'note_write',
    args: { content: 'new\n', scope: 'body' },
    after: '---\n# why\nk: 1\n---\nnew\n',
  },
  {
    what: 'a note that is there',
    before: 'x\n',
    tool: 'note_create',
    args: { content: 'y' },
    code: 'already_exists',
  },
  {
    what: 'a revision that is no more',
    before: 'x\n',
    tool: 'note_write',
    args: { content: 'y', expected_revision: '0'.repeat(64) },
    code: 'conflict',
  },
]

let vault: TemporaryVault
let client: AnyClient
beforeAll(async () => {
  vault = temporaryVault(Object.fromEntries(cases.map(({ before }, i) => [`c${i}.md`, before])))
  client = await connect('old stdio', vault)
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

test.each(cases.map((one, i) => [one.tool, one.what, one, `c${i}.md`] as const))(
  '%s: %s',
  async (tool, _, { args, before, after, code }, path) => {
    const dry = await client.call(tool, { path, ...args, dry_run: true })
    expect(readFileSync(vault.path(path), 'utf8')).toBe(before)
    const done = await client.call(tool, { path, ...args })
    const codeOf = ({ isError, text }: typeof done) => (isError ? JSON.parse(text).code : undefined)
    expect([codeOf(dry), codeOf(done)]).toEqual([code, code] as never)
    expect(readFileSync(vault.path(path), 'utf8')).toBe(after ?? before)
    expect(dry.structured.revision).toBe(done.structured.revision as never)
  },
)
