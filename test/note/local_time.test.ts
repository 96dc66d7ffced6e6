import { expect, test } from 'bun:test'
import { isoDate, localTimeAt, onDate } from '../../src/note/local_time.ts'

test.each([
  ['2026-01-01T04:30:00Z', 'America/New_York', '2025-12-31', 23, 30, -300],
  ['2026-07-15T22:10:00Z', 'Europe/Berlin', '2026-07-16', 0, 10, 120],
  ['2026-03-01T20:00:00Z', 'Asia/Kathmandu', '2026-03-02', 1, 45, 345],
  ['2026-03-01T20:00:00Z', 'UTC', '2026-03-01', 20, 0, 0],
])('%p in %p is %p %p:%p', (iso, zone, date, hour, minute, offset) => {
  expect(localTimeAt(Date.parse(iso), zone)).toMatchObject({ date, hour, minute, offset })
})

test('another date has the offset of its own season', () => {
  const summer = localTimeAt(Date.parse('2026-07-15T10:00:00Z'), 'Europe/Berlin')
  expect(onDate(summer, '2026-01-15', 'Europe/Berlin')).toMatchObject({
    date: '2026-01-15',
    hour: 12,
    offset: 60,
  })
})

test.each([
  ['2026-02-28', '2026-02-28'],
  ['2028-02-29', '2028-02-29'],
  ['2026-02-29', null],
  ['2026-02-30', null],
  ['2026-13-01', null],
  ['2026-00-10', null],
  ['26-01-01', null],
  ['2026-1-1', null],
  ['01.02.2026', null],
  ['2026-01-01T00:00', null],
  [' 2026-01-01', null],
  ['yesterday', null],
  ['', null],
])('%p as a date is %p', (text, right) => expect(isoDate(text)).toBe(right))
