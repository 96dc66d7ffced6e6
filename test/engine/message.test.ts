import { expect, test } from 'bun:test'
import type { RepeatableCalls } from '../../src/engine/greeting.ts'
import {
  givenUp,
  isRepeatable,
  type PassingRequest,
  readPassing,
  unknownOutcome,
} from '../../src/engine/message.ts'

const CALLS: RepeatableCalls = { note_read: true, tags: ['list'] }

const call = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
const cases = [
  { message: { jsonrpc: '2.0', id: 'a', method: 'tools/list' }, repeat: true },
  { message: call({ name: 'note_read', arguments: { path: 'a' } }), repeat: true },
  { message: call({ name: 'tags', arguments: { action: 'list' } }), repeat: true },
  { message: call({ name: 'tags', arguments: { action: 'LIST' } }), repeat: true },
  { message: call({ name: 'tags', arguments: { action: 'rename' } }), repeat: false },
  { message: call({ name: 'tags' }), repeat: false },
  { message: call({ name: 'tags', arguments: '{"action":"list"}' }), repeat: false },
  { message: call({ name: 'note_write', arguments: { action: 'list' } }), repeat: false },
  { message: call({ name: 'toString' }), repeat: false },
  { message: call(null), repeat: false },
]
test.each(cases)('%j', ({ message, repeat }) => {
  expect(isRepeatable(requestOf(message), CALLS)).toBe(repeat)
})

function requestOf(message: object): PassingRequest {
  return readPassing(Buffer.from(JSON.stringify(message))) as PassingRequest
}

test.each(['', '{', '[]', '[{"id":1,"method":"x"}]', '1', 'null', '{"id":1,"result":{}}', '{"method":1}'])(
  '%p is left to the engine',
  (line) => {
    expect(readPassing(Buffer.from(line))).toEqual({ kind: 'other' })
  },
)

test('an id stays what it was', () => {
  const ids = [1, '1', 'a\tb']
  expect(ids.map((id) => requestOf({ id, method: 'ping' }).id)).toEqual(['1', '"1"', '"a\\tb"'])
})

test('a call that is called off is named', () => {
  const line = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}'
  expect(readPassing(Buffer.from(line))).toMatchObject({ kind: 'notification', cancels: '"7"' })
})

test('what was lost is answered in the form of the protocol that the client speaks', () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const old = JSON.parse(unknownOutcome(requestOf(call({ name: 'note_write' }))).toString())
  const modern = JSON.parse(unknownOutcome(requestOf(call({ name: 'note_write', _meta: meta }))).toString())
  expect(old).toMatchObject({ id: 1, result: { isError: true } })
  expect(old.result).not.toHaveProperty('resultType')
  expect(modern.result.resultType).toBe('complete')
  expect(JSON.parse(givenUp(requestOf({ id: 'x', method: 'tools/list' })).toString())).toMatchObject({
    id: 'x',
    error: { code: -32603 },
  })
})
