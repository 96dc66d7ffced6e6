import { expect, test } from 'bun:test'
import { rewriteCanvas } from '../../src/note/recanvas.ts'

const canvas = `{
\t"nodes":[
\t\t{"id":"1","type":"file","file":"a\\/old.md","subpath":"#H","x":0, "unknown": [1.50]},
\t\t{"id":"2","type":"text","text":"see [[old]]\\nand \\"[[b]]\\""},
\t\t{"id":"3","type":"file","file":"other.md"}
\t],
\t"edges":[{"file":"a/old.md"}]
}
`
test('only the paths of file cards and the links of text cards change', () => {
  const result = rewriteCanvas(canvas, {
    card: (file) => (file === 'a/old.md' ? 'b/new "x".md' : null),
    link: ({ target }) => (target === 'old' ? { target: 'new' } : null),
  })
  expect(result).toEqual({
    text: canvas
      .replace('"a\\/old.md","subpath"', '"b/new \\"x\\".md","subpath"')
      .replace('[[old]]', '[[new]]'),
    count: 2,
  })
})

test('a file card shows the heading or block under its new name', () => {
  const shown =
    '{"nodes":[{"file":"n.md","subpath":"#H"},{"file":"o.md","subpath":"#H"},{"file":"n.md","subpath":""}]}'
  const result = rewriteCanvas(shown, {
    card: () => null,
    fragment: (file, fragment) => (file === 'n.md' && fragment === 'H' ? 'New' : null),
  })
  expect(result).toEqual({ text: shown.replace('#H', '#New'), count: 1 })
})

test('a byte-order mark stays, and what is no canvas is left alone', () => {
  const card = (file: string) => `${file}x`
  expect(rewriteCanvas('\ufeff{"nodes":[{"file":"a"}]}', { card }).text).toBe(
    '\ufeff{"nodes":[{"file":"ax"}]}',
  )
  for (const text of ['', '[]', '{"nodes":{}}', 'no json', '['.repeat(100_000)]) {
    expect(rewriteCanvas(text, { card })).toEqual({ text, count: 0 })
  }
})
