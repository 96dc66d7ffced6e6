import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { canvasFacts } from '../../src/note/canvas.ts'

const CANVAS = `{
	"nodes":[
		{"id":"1","type":"text","text":"# Über\\n\\nSee [[Note#H|x]] and \\"caf\\u00e9\\" 🐘 C:\\\\dir","x":0,"y":0,"width":250,"height":60},
		{"id":"2","type":"file","file":"a/Some note.md","subpath":"#Part","x":1,"color":"4"},
		{"id":"3","type":"file","file":"img/pic.png","own":{"file":"no.md"}},
		{"id":"4","type":"group","label":"Later"},
		{"id":"5","type":"link","url":"https://example.org/quokka"},
		{"id":"6","type":"text","text":"file: no.md","file":"no.md"}
	],
	"edges":[{"id":"e","fromNode":"1","toNode":"2","label":"because"}]
}`

test('file cards are links by their whole path, text cards hold links as notes do', () => {
  const { facts } = canvasFacts('x/Board.canvas', CANVAS)
  expect(facts.title).toBe('Board.canvas')
  expect(facts.problems).toEqual([])
  expect(facts.links).toEqual([
    {
      kind: 'wikilink',
      raw: '[[Note#H|x]]',
      target: 'Note',
      fragment: 'H',
      display: 'x',
      line: 3,
      property: null,
    },
    {
      kind: 'embed',
      raw: 'a/Some note.md#Part',
      target: 'a/Some note.md',
      fragment: 'Part',
      display: null,
      line: 4,
      property: 'file',
    },
    {
      kind: 'embed',
      raw: 'img/pic.png',
      target: 'img/pic.png',
      fragment: null,
      display: null,
      line: 5,
      property: 'file',
    },
  ])
})

test('the words of text cards and labels are searchable where they stand in the file', () => {
  const { body, bodyStart } = canvasFacts('b.canvas', CANVAS).document
  expect(bodyStart).toBe(0)
  expect(body.length).toBe(CANVAS.length)
  expect(body.split(/\s+/).filter((word) => word !== '')).toEqual([
    '#',
    'Über',
    'See',
    '[[Note#H|x]]',
    'and',
    '"',
    'café',
    '"',
    '🐘',
    'C:\\',
    'dir',
    'Later',
    'file:',
    'no.md',
  ])
  expect(body.indexOf('🐘')).toBe(CANVAS.indexOf('🐘'))
  expect(body.split('\n')).toHaveLength(CANVAS.split('\n').length)
})

const odd = [
  { says: 'an empty file is a new canvas', text: '', problems: [] },
  { says: 'no nodes', text: '{}', problems: [] },
  { says: 'nodes of another shape', text: '{"nodes":{"a":1}}', problems: [] },
  {
    says: 'odd nodes',
    text: '{"nodes":[null,1,"x",[],{"type":"file"},{"type":"file","file":5},{"type":"text","text":null}]}',
    problems: [],
  },
  { says: 'a list', text: '[]', problems: [1] },
  { says: 'broken JSON', text: '{\n"nodes": [', problems: [2] },
  { says: 'deep nesting', text: '['.repeat(200_000), problems: [1] },
]
test.each(odd)('$says: no links, no exception', ({ text, problems }) => {
  const { facts } = canvasFacts('b.canvas', text)
  expect(facts.links).toEqual([])
  expect(facts.problems.map((problem) => problem.line)).toEqual(problems)
})

test('a byte-order mark belongs to the file, not to the text', () => {
  const { facts, document } = canvasFacts('b.canvas', `\ufeff${CANVAS}`)
  expect(facts.links).toHaveLength(3)
  expect([document.bodyStart, document.body.indexOf('Über')]).toEqual([1, CANVAS.indexOf('Über')])
})

test('any text of a card keeps its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = JSON.stringify({ nodes: [{ type: 'text', text }] })
      expect(canvasFacts('b.canvas', json).document.body.length).toBe(json.length)
    }),
  )
})
