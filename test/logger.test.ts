import { afterEach, expect, test } from 'bun:test'
import { configureLog, log, redact } from '../src/logger.ts'

let lines: string[] = []
afterEach(() => {
  lines = []
  configureLog({ level: 'info' })
})

function capture(level: 'trace' | 'info' | 'error', secrets: string[] = []): void {
  configureLog({ level, secrets, write: (line) => lines.push(line) })
}

test('a level shows itself and what weighs more', () => {
  capture('info')
  log.debug('a')
  log.info('b')
  log.error('c')
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual(['info  b\n', 'error c\n'])
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}b\n$/)
})

test('an event is one line, whatever names and errors hold', () => {
  capture('trace')
  log.warn('odd\u001b[31m\u202ename\r\nnext', new Error('outer', { cause: new Error('inner') }))
  expect(lines.length).toBe(1)
  expect(lines[0]?.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u202e]/)
  expect(lines[0]).toMatch(/odd\\u001b\[31m\\u202ename ⏎ next: Error: outer.*caused by Error: inner/)
})

const redacted: { text: string; secrets?: string[]; right: string }[] = [
  { text: 'token abcdef is abcdef', secrets: ['abcdef'], right: 'token *** is ***' },
  { text: 'a b', secrets: ['a'], right: 'a b' },
  { text: 'Authorization: Bearer xyz.123', right: 'Authorization: Bearer ***' },
  { text: 'key sk-abcdefgh1234', right: 'key sk-***' },
  { text: 'sftp://me:hunter2@box/n', right: 'sftp://me:***@box/n' },
  { text: 'sftp://me@box:22/n', right: 'sftp://me@box:22/n' },
]
test.each(redacted)('$text is logged as $right', ({ text, secrets = [], right }) => {
  expect(redact(text, secrets)).toBe(right)
})
