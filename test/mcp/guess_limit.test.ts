import { expect, test } from 'bun:test'
import { GuessLimit } from '../../src/mcp/guess_limit.ts'

function limitAt() {
  let now = 0
  const limit = new GuessLimit(() => now)
  return { limit, wait: (ms: number) => (now += ms) }
}

test('after ten wrong tokens in a minute more of them are too many, and a minute later none was', () => {
  const { limit, wait } = limitAt()
  const answers = Array.from({ length: 12 }, () => limit.failed('a', 'old'))
  expect(answers).toEqual([...Array(10).fill(false), true, true])
  wait(60_000)
  expect(limit.failed('a', 'old')).toBe(false)
})

test('one old token again and again locks nobody out, twenty different ones do', () => {
  const { limit } = limitAt()
  for (let i = 0; i < 100; i++) limit.failed('a', 'old')
  expect(limit.isLocked('a')).toBe(false)
  for (let i = 0; i < 20; i++) limit.failed('a', `guess ${i}`)
  expect([limit.isLocked('a'), limit.isLocked('b')]).toEqual([true, false])
})

test('a lock ends with its minute', () => {
  const { limit, wait } = limitAt()
  for (let i = 0; i < 20; i++) limit.failed('a', `guess ${i}`)
  wait(59_999)
  expect(limit.isLocked('a')).toBe(true)
  wait(1)
  expect(limit.isLocked('a')).toBe(false)
})

test('a flood from many addresses forgets the oldest', () => {
  const { limit } = limitAt()
  for (let i = 0; i < 20; i++) limit.failed('first', `guess ${i}`)
  for (let i = 0; i < 10_000; i++) limit.failed(`address ${i}`, 'x')
  expect(limit.isLocked('first')).toBe(false)
})
