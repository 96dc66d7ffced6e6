import { expect, test } from 'bun:test'
import { setTask } from '../../src/note/retask.ts'

const cases: [before: string, line: number, status: string, after: string][] = [
  ['- [ ] a\n- [ ] b\n', 2, 'x', '- [ ] a\n- [x] b\n'],
  ['- [x] a\n', 1, ' ', '- [ ] a\n'],
  ['1. [/] a\r\n', 1, 'b', '1. [b] a\r\n'],
  ['> - [ ] quoted\n', 1, 'x', '> - [x] quoted\n'],
  ['> [!todo] T\n> \t* [-] deep\n', 2, 'x', '> [!todo] T\n> \t* [x] deep\n'],
  ['- a\n\t- [ ] tab\n', 2, 'x', '- a\n\t- [x] tab\n'],
  ['---\nk: 1\n---\n+ [ ] x ⌛️ 2024-01-01\n', 4, 'x', '---\nk: 1\n---\n+ [x] x ⌛️ 2024-01-01\n'],
  ['\ufeff- [ ] bom', 1, '!', '\ufeff- [!] bom'],
  ['- [x] a\n', 1, 'x', '- [x] a\n'],
]
test.each(cases)('in %j the task of line %d becomes %j', (before, line, status, after) => {
  expect(setTask(before, line, status)).toBe(after)
})

const stamped: [before: string, status: string, after: string][] = [
  ['- [ ] a 📅 2026-01-09\n', 'x', '- [x] a 📅 2026-01-09 ✅ 2026-01-02\n'],
  ['- [ ] a ^id\n', 'x', '- [x] a ✅ 2026-01-02 ^id\n'],
  ['- [ ] a [due:: 2026-01-09]', 'x', '- [x] a [due:: 2026-01-09] [completion:: 2026-01-02]'],
  ['- [x] a ✅ 2025-12-31 #t\n', ' ', '- [ ] a #t\n'],
  ['- [x] a [completion:: 2025-12-31]\n', '/', '- [/] a\n'],
  ['- [/] a ✅ 2025-12-31\n', 'x', '- [x] a ✅ 2025-12-31\n'],
  ['- [x] a\n', 'x', '- [x] a\n'],
]
test.each(stamped)('with done dates, %j set to %j is %j', (before, status, after) => {
  expect(setTask(before, 1, status, { stampDone: '2026-01-02' })).toBe(after)
})

test('what is no task is refused, and the nearest ones are named', () => {
  const note = '# A\n- [ ] a\n- b\n```\n- [ ] code\n```\n'
  for (const line of [1, 3, 5, 99, 0])
    expect(() => setTask(note, line, 'x')).toThrow(`Line ${line} is no task`)
  for (const status of ['', 'xx', ']', '\n']) expect(() => setTask(note, 2, status)).toThrow('no task marker')
  try {
    setTask(note, 3, 'x')
  } catch (error) {
    expect(error).toMatchObject({ code: 'target_not_found', details: { nearest: [2] } })
  }
})
