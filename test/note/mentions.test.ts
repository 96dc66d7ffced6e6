import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mentionsIn } from '../../src/note/mentions.ts'

const shown = (text: string, names: readonly string[]) =>
  mentionsIn(text, names, 20).map(({ line, range }) => `${line}: ${text.slice(range.start, range.end)}`)

test.each([
  ['See Apple pie.', ['apple'], ['1: Apple']],
  ['Pineapple, apples, an-apple', ['apple'], ['1: apple']],
  // Lower case of this letter is two units long.
  ['İİİ apple\nİ apple', ['Apple'], ['1: apple', '2: apple']],
  ['\ufeffapple', ['apple'], ['1: apple']],
  ['[[apple]] and [x](apple.md) and `apple` and apple', ['apple'], ['1: apple']],
  ['- x\n\n  ```\n  apple\n  ```\n\napple', ['apple'], ['7: apple']],
  ['```\napple\n````\napple', ['apple'], ['4: apple']],
  ['~~~\napple, never closed', ['apple'], []],
  ['---\nname: apple\n---\r\napple\r\napple', ['apple'], ['4: apple', '5: apple']],
  ['我们的设计模式很好', ['设计'], ['1: 设计']],
  ['Cafe\u0301 and Café', ['Café'], ['1: Cafe\u0301', '1: Café']],
  ['Cafeteria and Cafe\u0301', ['Cafe'], []],
  ['The AI system, AI', ['AI', 'AI System'], ['1: AI system', '1: AI']],
  ['C++ and C++11 and C', ['C++'], ['1: C++', '1: C++']],
  ['𐐀apple apple𐐨 apple', ['apple'], ['1: apple']],
])('%j names %j at %j', (text, names, right) => {
  expect(shown(text, names)).toEqual(right)
})

test('every mention stands where it is said to stand', () => {
  const piece = fc.constantFrom('apple', 'İ', 'ß', ' ', '\n', '`', '[[', ']]', '```', '\r\n', 'x', '---')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      for (const { range, line } of mentionsIn(text, ['Apple'], 100)) {
        expect(text.slice(range.start, range.end)).toBe('apple')
        expect(text.slice(0, range.start).split('\n').length).toBe(line)
      }
    }),
  )
})

test('many links cost a pass, not one each', () => {
  const text = '[[apple]] apple '.repeat(40_000)
  const start = performance.now()
  expect(mentionsIn(text, ['apple'], 5)).toHaveLength(5)
  expect(performance.now() - start).toBeLessThan(3000)
})
