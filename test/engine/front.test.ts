import { describe, expect, test } from 'bun:test'
import { runFront } from '../../src/engine/front.ts'
import type { Welcome } from '../../src/engine/greeting.ts'
import { LineReader } from '../../src/engine/line_reader.ts'
import { Link } from '../../src/engine/link.ts'
import type { Wire, WireEvents } from '../../src/engine/wire.ts'

const WELCOME: Welcome = {
  state: 'welcome',
  key: 'k',
  own: 'k',
  tools: {},
  repeatable: { note_read: true },
  warnings: [],
  logLevel: 'info',
}

/** A wire whose other end is this test. */
function fakeWire() {
  const written: string[] = []
  let events: WireEvents | null = null
  const wire: Wire = {
    listen: (next) => {
      events = next
    },
    write: (bytes) => {
      written.push(bytes.toString('utf8').trimEnd())
      return true
    },
    pause: () => {},
    resume: () => {},
    close: () => events?.closed(),
  }
  return {
    wire,
    written,
    say: (text: string) => events?.data(Buffer.from(text)),
    hangUp: () => events?.closed(),
  }
}

function fakeEngine() {
  const fake = fakeWire()
  const link = new Link(fake.wire, { welcome: WELCOME, lines: new LineReader(1_000_000), early: [] })
  return {
    ...fake,
    link,
    answer: (id: unknown, text = 'ok') => fake.say(`r${JSON.stringify(id)}\t${text}\n`),
  }
}

/** A client with three engines, one after the other. */
function setUp(lookEveryMs = 60_000) {
  const client = fakeWire()
  const engines = [fakeEngine(), fakeEngine(), fakeEngine(), fakeEngine()] as const
  let used = 0
  const ended = runFront({
    client: client.wire,
    lookEveryMs,
    link: engines[0].link,
    next: async () => engines[++used]!.link,
  })
  const ask = (id: number, method: string, params: object = {}) =>
    client.say(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  const call = (id: number, name: string) => ask(id, 'tools/call', { name })
  return { client, engines, ended, ask, call }
}

/** Lets what was promised happen. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const methods = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line).params?.name ?? JSON.parse(line).method)

describe('when an engine ends without a word', () => {
  test('reads go to the next, changes are reported, and what is answered is over', async () => {
    const { client, engines, call } = setUp()
    const [first, second] = engines
    call(1, 'note_read')
    call(2, 'note_write')
    call(3, 'note_read')
    first.answer(1, 'one')
    first.hangUp()
    await settle()
    expect(methods(second.written)).toEqual(['note_read'])
    second.answer(3, 'three')
    expect(client.written[0]).toBe('one')
    expect(JSON.parse(client.written[1] as string)).toMatchObject({ id: 2, result: { isError: true } })
    expect(client.written[2]).toBe('three')
  })

  test('the next is told what the first was, and its answers to that are not for the client', async () => {
    const { client, engines, ask, call } = setUp()
    const [first, second] = engines
    ask(1, 'initialize')
    first.answer(1, 'hello')
    client.say('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    ask(2, 'logging/setLevel', { level: 'debug' })
    ask(3, 'resources/subscribe', { uri: 'note:///a' })
    ask(4, 'resources/subscribe', { uri: 'note:///b' })
    ask(5, 'resources/unsubscribe', { uri: 'note:///a' })
    for (const id of [2, 3, 4, 5]) first.answer(id)
    const before = client.written.length
    first.hangUp()
    call(6, 'note_write')
    await settle()
    expect(methods(second.written)).toEqual(['initialize'])
    second.answer(JSON.parse(second.written[0] as string).id, 'hello again')
    expect(methods(second.written)).toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'resources/subscribe',
      'note_write',
    ])
    for (const line of second.written.slice(2, 4)) second.answer(JSON.parse(line).id)
    expect(client.written).toHaveLength(before)
    second.answer(6, 'written')
    expect(client.written.at(-1)).toBe('written')
  })

  test('a request over which one after the other ends is given up', async () => {
    const { client, engines, call } = setUp()
    call(1, 'note_read')
    for (const engine of engines.slice(0, 3)) {
      await settle()
      expect(methods(engine.written)).toEqual(['note_read'])
      engine.hangUp()
    }
    await settle()
    expect(engines[3].written).toEqual([])
    expect(client.written.at(-1)).toContain('ended several times')
  })

  test('what was called off is neither repeated nor reported', async () => {
    const { client, engines, call } = setUp()
    call(1, 'note_write')
    client.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n')
    engines[0].hangUp()
    await settle()
    expect(client.written).toEqual([])
    expect(engines[1].written).toEqual([])
  })
})

describe('when an engine says that it ends', () => {
  test('what it has not taken goes to the next, changes too; what it has taken it still answers', async () => {
    const { client, engines, call } = setUp()
    const [first, second] = engines
    call(1, 'note_write')
    call(2, 'note_write')
    call(3, 'note_read')
    first.say('c\t{"state":"bye","taken":1}\n')
    await settle()
    expect(second.written.map((line) => JSON.parse(line).id)).toEqual([2, 3])
    first.answer(1, 'one')
    first.hangUp()
    await settle()
    second.answer(2, 'two')
    expect(client.written).toEqual(['one', 'two'])
  })

  test('what it has taken and does not answer is treated as lost', async () => {
    const { client, engines, call } = setUp()
    const [first, second] = engines
    call(1, 'note_write')
    call(2, 'note_read')
    first.say('c\t{"state":"bye","taken":2}\n')
    await settle()
    expect(second.written).toEqual([])
    first.hangUp()
    expect(methods(second.written)).toEqual(['note_read'])
    expect(client.written.join()).toContain('not known')
  })
})

describe('an engine that owes an answer and says nothing', () => {
  const until = async (is: () => boolean) => {
    while (!is()) await new Promise((resolve) => setTimeout(resolve, 1))
  }

  test('is asked, and left when it stays silent', async () => {
    const { client, engines, call } = setUp(2)
    call(1, 'note_read')
    await until(() => engines[1].written.length > 0)
    expect(engines[0].written.slice(1)).toEqual(['', '', ''])
    engines[1].answer(1, 'one')
    expect(client.written).toEqual(['one'])
  })

  test('is waited for as long as it says that it is there', async () => {
    const { engines, call } = setUp(2)
    const [first, second] = engines
    call(1, 'note_write')
    for (let asked = 1; asked <= 8; asked++) {
      await until(() => first.written.length > asked)
      first.say('c\t{"state":"here"}\n')
    }
    expect(second.written).toEqual([])
  })
})

test('who closes the input still gets the answers to what was asked', async () => {
  const { client, engines, ended, call } = setUp()
  call(1, 'note_read')
  client.hangUp()
  engines[0].answer(1, 'last')
  await ended
  expect(client.written).toEqual(['last'])
})
