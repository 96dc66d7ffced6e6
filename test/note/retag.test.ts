import { expect, test } from 'bun:test'
import { addTag, removeTag, renameTag } from '../../src/note/retag.ts'

const renames: [before: string, from: string, to: string, after: string, count: number][] = [
  ['#a and #A/b, not #ab\n', 'a', 'x', '#x and #x/b, not #ab\n', 2],
  ['(#a/b) #a/b/C', '#a/b', 'z', '(#z) #z/C', 2],
  ['`#a` #a\n\n```\n#a\n```\n', 'a', 'x', '`#a` #x\n\n```\n#a\n```\n', 1],
  ['---\ntags: [a, "b", A/c] # why\n---\n#a\n', 'a', 'x', '---\ntags: [x, "b", x/c] # why\n---\n#x\n', 3],
  ['---\ntags:\n  - a # one\n  - b\n---\n', 'a', 'x/y', '---\ntags:\n  - x/y # one\n  - b\n---\n', 1],
  ["---\ntags:\n  - '#a'\n---\n", 'a', 'x', "---\ntags:\n  - '#x'\n---\n", 1],
  ['---\ntags: a, b a/c\n---\n', 'a', 'x', '---\ntags: x, b x/c\n---\n', 2],
  ['---\ntag: a\nTags: [a]\n---\n', 'a', 'x', '---\ntag: x\nTags: [x]\n---\n', 2],
  ['---\ntags: [a, x, b]\n---\n', 'a', 'x', '---\ntags: [x, b]\n---\n', 1],
  ['---\ntags: [a, A]\n---\n', 'a', 'x', '---\ntags: [x]\n---\n', 2],
  ['---\ntags: [a]\n---\n', 'a', 'null', '---\ntags: ["null"]\n---\n', 1],
  ['---\ntags: [a]\r\n---\r\n#日本/a\r\n', '日本', '中国', '---\ntags: [a]\r\n---\r\n#中国/a\r\n', 1],
  ['#x', 'a', 'b', '#x', 0],
  ['#A', 'a', 'a', '#a', 1],
  ['#a', 'a', 'a', '#a', 0],
]
test.each(renames)('in %j, %s renamed to %s is %j (%d)', (before, from, to, text, count) => {
  expect(renameTag(before, from, to)).toEqual({ text, count })
  if (count > 0 && from.toLowerCase() !== to) expect(renameTag(text, from, to).count).toBe(0)
})

const added: [before: string, tag: string, after: string][] = [
  ['x\n', 'a', '---\ntags:\n  - a\n---\nx\n'],
  ['---\ntags: [b]\n---\n', '#a', '---\ntags: [b, a]\n---\n'],
  ['---\ntags: [A]\n---\n', 'a', '---\ntags: [A]\n---\n'],
  ['---\ntags: b, c\n---\n', 'a', '---\ntags: b, c, a\n---\n'],
  ['---\ntag: b\n---\n', 'a', '---\ntag:\n  - b\n  - a\n---\n'],
  ['---\ntags:\nk: 1\n---\n', 'yes', '---\ntags:\n  - "yes"\nk: 1\n---\n'],
]
test.each(added)('%j with the tag %s added is %j', (before, tag, after) => {
  expect(addTag(before, tag)).toEqual({ text: after, count: before === after ? 0 : 1 })
})

const removed: [before: string, tag: string, after: string][] = [
  ['a #x b\n', 'x', 'a b\n'],
  ['a #x.\n', 'X', 'a.\n'],
  ['#x\nb\n', 'x', 'b\n'],
  ['#x b #x/y\n', 'x', 'b #x/y\n'],
  ['(#x)\n', 'x', '()\n'],
  ['---\ntags: [x, w]\n---\na #x\n', 'x', '---\ntags: [w]\n---\na\n'],
  ['---\ntags:\n  - x\n---\n', 'x', '---\ntags: []\n---\n'],
  ['---\ntags: x, w\n---\n', 'x', '---\ntags: w\n---\n'],
  ['---\ntags: w x\n---\n', 'x', '---\ntags: w\n---\n'],
  ['---\ntags: x\n---\n', 'x', '---\ntags:\n---\n'],
  ['`#x`\n', 'x', '`#x`\n'],
]
test.each(removed)('%j without the tag %s is %j', (before, tag, after) => {
  expect(removeTag(before, tag).text).toBe(after)
})

test('what is no tag is refused', () => {
  for (const tag of ['', '#', '123', 'a b', 'a#b', 'a/', '/a', 'a//b', 'a.b']) {
    expect(() => renameTag('x', 'a', tag)).toThrow('is no tag')
    expect(() => addTag('x', tag)).toThrow('is no tag')
  }
})
