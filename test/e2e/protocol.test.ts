import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import {
  CLIENT_KINDS,
  type ClientKind,
  COMMAND,
  startHttp,
  type TemporaryVault,
  temporaryVault,
} from './clients.ts'
import { runConformance } from './conformance.ts'

setDefaultTimeout(60_000)

const FILES = {
  'Projects/Bread.md':
    '---\ntags: [baking]\nstatus: open\n---\n# Bread\n\nSee [[Flour]].\n\n## Log\n\nkneaded ^b1\n\n## End\n',
  'Projects/Rye bread.md': '# Rye bread\n\n#baking/rye\n',
  'Flour.md': '# Flour\n\nRye and wheat.\n',
  'C# notes.md': '# Sharp\n',
  'Private/key.md': 'secret\n',
  'pic.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
}

/** What both generations of the official client can do, under one name each. */
interface Both {
  listResources(params?: {
    cursor?: string
  }): Promise<{ resources: { uri: string; name: string; mimeType?: string }[]; nextCursor?: string }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(params: {
    uri: string
  }): Promise<{ contents: { text?: string; blob?: string; mimeType?: string }[] }>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{
    messages: { content: { text?: string } }[]
  }>
  complete(params: unknown): Promise<{ completion: { values: string[] } }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<{
    isError?: boolean
    content: { type: string; uri?: string; name?: string; text?: string }[]
  }>
  close(): Promise<void>
}

const [command = '', ...rest] = COMMAND

async function connectBoth(kind: ClientKind, vault: TemporaryVault, url: string): Promise<Both> {
  const args = [...rest, vault.dir]
  const stdio = { command, args, env: vault.env, stderr: 'ignore' as const }
  if (kind.startsWith('modern')) {
    const client = new Client({ name: 'm', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(
      kind === 'modern http'
        ? new StreamableHTTPClientTransport(new URL(url))
        : new StdioClientTransport(stdio),
    )
    return client as unknown as Both
  }
  const client = new OldClient({ name: 'o', version: '1' })
  await client.connect((kind === 'old http' ? new OldHttp(new URL(url)) : new OldStdio(stdio)) as never)
  return client as unknown as Both
}

let vault: TemporaryVault
let url: string
let stop: () => Promise<unknown>
beforeAll(async () => {
  vault = temporaryVault(FILES)
  vault.env.OBSIDIAN_DENY_PATHS = 'Private/'
  const server = await startHttp(vault)
  url = server.url
  stop = server.stop
})
afterAll(async () => {
  await stop()
  vault.remove()
})

for (const kind of CLIENT_KINDS) {
  describe(`the official client: ${kind}`, () => {
    let client: Both
    beforeAll(async () => {
      client = await connectBoth(kind, vault, url)
    })
    afterAll(() => client.close())

    test('lists the files that may be seen as resources', async () => {
      const { resources, nextCursor } = await client.listResources()
      expect(resources.map(({ uri }) => uri)).toEqual([
        'note:///C%23%20notes.md',
        'note:///Flour.md',
        'note:///Projects/Bread.md',
        'note:///Projects/Rye%20bread.md',
        'note:///pic.png',
      ])
      expect(resources.map(({ mimeType }) => mimeType).slice(-2)).toEqual(['text/markdown', 'image/png'])
      expect(nextCursor).toBeUndefined()
      expect((await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate)).toEqual([
        'note:///{+path}',
        'note:///{+path}{#heading}',
        'note:///{+path}{?property}',
      ])
    })

    const reads: { uri: string; right: Record<string, string> }[] = [
      { uri: 'note:///Flour.md', right: { text: '# Flour\n\nRye and wheat.\n', mimeType: 'text/markdown' } },
      { uri: 'note:///flour', right: { text: '# Flour\n\nRye and wheat.\n' } },
      { uri: 'note:///Projects/Rye%20bread.md', right: { text: '# Rye bread\n\n#baking/rye\n' } },
      { uri: 'note:///C# notes.md', right: { text: '# Sharp\n' } },
      { uri: 'note:///Projects/Bread.md#Log', right: { text: '## Log\n\nkneaded ^b1\n\n' } },
      { uri: 'note:///Projects/Bread.md#^b1', right: { text: 'kneaded ^b1' } },
      {
        uri: 'note:///Projects/Bread.md?property=tags',
        right: { text: '["baking"]', mimeType: 'application/json' },
      },
      { uri: 'note:///pic.png', right: { blob: 'iVBORw0KGgo=', mimeType: 'image/png' } },
    ]
    test.each(reads)('reads $uri', async ({ uri, right }) => {
      const { contents } = await client.readResource({ uri })
      expect(contents[0]).toMatchObject({ uri, ...right })
    })

    test.each([
      'note:///nope.md',
      'note:///Private/key.md',
      'note:///.obsidian/app.json',
      'note:///../x',
      'http://a/b',
      'note://other/Flour.md',
    ])('%s cannot be read', async (uri) => expect(client.readResource({ uri })).rejects.toThrow())

    test('a search links to what it found', async () => {
      const { content } = await client.callTool({ name: 'search_text', arguments: { query: 'wheat' } })
      expect(content[0]?.type).toBe('text')
      expect(content.filter(({ type }) => type === 'resource_link')).toEqual([
        { type: 'resource_link', uri: 'note:///Flour.md', name: 'Flour' },
      ])
    })

    test('prompts are listed, and filled in', async () => {
      const { prompts } = await client.listPrompts()
      expect(prompts.map(({ name }) => name)).toEqual(['daily-review', 'find-and-cite', 'tidy-links'])
      const { messages } = await client.getPrompt({
        name: 'find-and-cite',
        arguments: { question: 'Which flour?', folder: 'Projects' },
      })
      expect(messages[0]?.content.text).toMatch(/Which flour\?[\s\S]*folders \["Projects"\]/)
      expect(client.getPrompt({ name: 'find-and-cite' })).rejects.toThrow(/question/)
      expect(client.getPrompt({ name: 'nope' })).rejects.toThrow()
    })

    const note = { type: 'ref/resource', uri: 'note:///{+path}' }
    const prompt = (name: string) => ({ type: 'ref/prompt', name })
    const completions: { ref: object; argument: object; context?: object; right: string[] }[] = [
      {
        ref: note,
        argument: { name: 'path', value: 'Pro' },
        right: ['Projects/Bread.md', 'Projects/Rye bread.md'],
      },
      { ref: note, argument: { name: 'path', value: 'rye' }, right: ['Projects/Rye bread.md'] },
      { ref: note, argument: { name: 'path', value: 'key' }, right: [] },
      {
        ref: note,
        argument: { name: 'heading', value: '' },
        context: { arguments: { path: 'Projects/Bread.md' } },
        right: ['Bread', 'Log', 'End'],
      },
      { ref: note, argument: { name: 'property', value: 'st' }, right: ['status'] },
      {
        ref: prompt('find-and-cite'),
        argument: { name: 'tag', value: 'bak' },
        right: ['baking', 'baking/rye'],
      },
      { ref: prompt('find-and-cite'), argument: { name: 'folder', value: 'p' }, right: ['Projects'] },
      { ref: prompt('tidy-links'), argument: { name: 'path', value: 'flo' }, right: ['Flour.md'] },
      { ref: prompt('find-and-cite'), argument: { name: 'question', value: 'x' }, right: [] },
    ]
    test.each(completions)('completes $argument', async ({ ref, argument, context, right }) => {
      const { completion } = await client.complete({ ref, argument, ...(context ? { context } : {}) })
      expect(completion.values).toEqual(right)
    })
  })
}

/** Resolves when a test's condition holds; its time limit ends a wait in vain. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}

for (const kind of ['old stdio', 'old http'] as const) {
  describe(`what changes is told: ${kind}`, () => {
    test('of what was subscribed to, and of files that come and go', async () => {
      const client = (await connectBoth(kind, vault, url)) as unknown as OldClient
      const updated: string[] = []
      let lists = 0
      client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void updated.push(params.uri),
      )
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void lists++)
      const call = (name: string, args: object) =>
        client.callTool({ name, arguments: args as Record<string, unknown> })
      // What the test before has left is noticed before anything is counted.
      await call('index', { action: 'sync' })
      await client.subscribeResource({ uri: 'note:///flour' })
      await call('note_insert', { path: 'Projects/Bread', content: 'x' })
      await call('note_insert', { path: 'Flour', content: 'Spelt.' })
      await until(() => updated.length > 0)
      expect(updated).toEqual(['note:///flour'])
      expect(lists).toBe(0)
      await call('note_create', { path: 'New', content: 'x' })
      await until(() => lists > 0)
      await client.unsubscribeResource({ uri: 'note:///flour' })
      await call('note_replace', { path: 'Flour', search: 'Spelt.', replace: 'Oats.' })
      await call('note_delete', { path: 'New.md', confirm: true })
      await until(() => lists > 1)
      expect(updated.length).toBe(1)
      writeFileSync(vault.path('Flour.md'), FILES['Flour.md'])
      await client.close()
    })
  })
}

for (const kind of ['modern stdio', 'modern http'] as const) {
  test(`what changes is told through subscriptions/listen: ${kind}`, async () => {
    const client = (await connectBoth(kind, vault, url)) as unknown as Client
    const updated: string[] = []
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updated.push(params.uri),
    )
    const subscription = await client.listen({ resourceSubscriptions: ['note:///Outside%20it.md'] })
    writeFileSync(vault.path('Outside it.md'), 'x')
    await client.callTool({ name: 'index', arguments: { action: 'sync' } })
    await until(() => updated.length > 0)
    expect(new Set(updated)).toEqual(new Set(['note:///Outside%20it.md']))
    await subscription.close()
    rmSync(vault.path('Outside it.md'))
    await client.callTool({ name: 'index', arguments: { action: 'sync' } })
    await client.close()
  })
}

describe('a client that asks to be told of its calls', () => {
  test('is told, from the level that it set', async () => {
    const client = (await connectBoth('old stdio', vault, url)) as unknown as OldClient
    const told: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void told.push(params))
    const read = (path: string) => client.callTool({ name: 'note_read', arguments: { path } })
    await read('nope')
    await client.setLoggingLevel('warning')
    await read('Flour')
    await read('nope')
    await until(() => told.length > 0)
    expect(told).toMatchObject([
      { level: 'warning', logger: 'knap', data: { tool: 'note_read', code: 'not_found' } },
    ])
    await client.close()
  })
})

describe('a person is asked before a note is deleted, where the client can show a form', () => {
  const answers = [
    { answer: { action: 'accept', content: { confirm: true } }, isDeleted: true },
    { answer: { action: 'accept', content: { confirm: false } }, isDeleted: false },
    { answer: { action: 'decline' }, isDeleted: false },
    { answer: { action: 'cancel' }, isDeleted: false },
  ]
  for (const kind of CLIENT_KINDS) {
    test.each(answers)(`${kind}: $answer`, async ({ answer, isDeleted }) => {
      writeFileSync(vault.path('Doomed.md'), 'x')
      const asked: string[] = []
      const capabilities = { elicitation: {} }
      const stdio = { command, args: [...rest, vault.dir], env: vault.env, stderr: 'ignore' as const }
      let client: Both
      if (kind.startsWith('modern')) {
        const made = new Client(
          { name: 'm', version: '1' },
          { capabilities, versionNegotiation: { mode: 'auto' } },
        )
        made.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.message)
          return answer as never
        })
        await made.connect(
          kind === 'modern http'
            ? new StreamableHTTPClientTransport(new URL(url))
            : new StdioClientTransport(stdio),
        )
        client = made as unknown as Both
      } else {
        const made = new OldClient({ name: 'o', version: '1' }, { capabilities })
        made.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
          asked.push(params.message)
          return answer as never
        })
        await made.connect((kind === 'old http' ? new OldHttp(new URL(url)) : new OldStdio(stdio)) as never)
        client = made as unknown as Both
      }
      await client.callTool({ name: 'index', arguments: { action: 'sync' } })
      const args = { path: 'Doomed.md', confirm: true }
      await client.callTool({ name: 'note_delete', arguments: { ...args, dry_run: true } })
      const result = await client.callTool({ name: 'note_delete', arguments: args })
      expect(asked).toEqual(['Move "Doomed.md" to the trash?'])
      expect([result.isError === true, await Bun.file(vault.path('Doomed.md')).exists()]).toEqual([
        !isDeleted,
        !isDeleted,
      ])
      if (!isDeleted) expect(JSON.parse(result.content[0]?.text ?? '').code).toBe('bad_argument')
      await client.close()
    })
  }
})

/** Scenarios of the public suite that call what only a fixture has: they are run against one in conformance.test.ts. */
const FIXTURES_ONLY =
  /^(tools-call-|elicitation-|resources-read-|resources-templates-|prompts-get-|resources-(un)?subscribe$|json-schema-2020-12$)/

test('every scenario of the public conformance suite that needs no fixture passes against the program', async () => {
  const results = await runConformance(url)
  const own = [...results].filter(([name]) => !FIXTURES_ONLY.test(name))
  expect(own.map(([name]) => name).sort()).toEqual([
    'completion-complete',
    'dns-rebinding-protection',
    'logging-set-level',
    'ping',
    'prompts-list',
    'resources-list',
    'server-initialize',
    'server-sse-multiple-streams',
    'server-sse-polling',
    'tools-list',
  ])
  expect(own.filter(([, { failed }]) => failed > 0)).toEqual([])
})
