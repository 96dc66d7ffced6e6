import { expect, test } from 'bun:test'
import { progressOn } from '../../src/cli/progress.ts'

function shown(isTTY: boolean, lines: readonly string[], columns = 80): string {
  let out = ''
  const progress = progressOn({ isTTY, columns, write: (text) => (out += text) })
  for (const line of lines) progress.say(line)
  progress.end()
  return out
}

test.each([
  [false, ['1 of 4 notes are embedded', 'done'], '1 of 4 notes are embedded\ndone\n'],
  [
    true,
    ['1 of 4 notes are embedded', 'done'],
    `${'█'.repeat(6)}${'░'.repeat(18)} 1 of 4 notes are embedded\r\u001b[Kdone\n`,
  ],
  [true, ['x: 1.0 MB of 2.0 MB'], `${'█'.repeat(12)}${'░'.repeat(12)} x: 1.0 MB of 2.0 MB\r\u001b[K`],
  [true, ['0 of 0'], '0 of 0\n'],
] as const)('on a terminal: %p, %p', (isTTY, lines, right) => {
  expect(shown(isTTY, lines)).toBe(right)
})

test('a bar is no wider than the terminal', () => {
  expect([...(shown(true, [`1 of 2 ${'long '.repeat(30)}`], 40).split('\r')[0] as string)]).toHaveLength(39)
})
