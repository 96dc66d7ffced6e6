import { describe, expect, test } from 'bun:test'
import { figuresOf, readEvaluations } from '../../src/cli/evaluate.ts'

describe('the questions of a file', () => {
  test('folders and tags may be left out, blank lines too', () => {
    const lines =
      '{"query":"a","expectedSources":["A.md"]}\n\n{"query":"b","expectedSources":["B.md"],"folders":["F"],"tags":["t"]}\n'
    expect(readEvaluations(lines)).toEqual([
      { query: 'a', expectedSources: ['A.md'], folders: [], tags: [] },
      { query: 'b', expectedSources: ['B.md'], folders: ['F'], tags: ['t'] },
    ])
  })

  test.each([
    ['no JSON', 'what is this'],
    ['no object', 'null'],
    ['no query', '{"expectedSources":["A.md"]}'],
    ['no source', '{"query":"a","expectedSources":[]}'],
    ['a source that is no text', '{"query":"a","expectedSources":[1]}'],
    ['folders that are no list', '{"query":"a","expectedSources":["A.md"],"folders":"F"}'],
  ])('%s is refused by its line', (_, line) => {
    expect(() => readEvaluations(`{"query":"a","expectedSources":["A.md"]}\n${line}`)).toThrow('Line 2')
  })
})

test('hit, recall and reciprocal rank', () => {
  const outcome = (expected: string[], found: string[]) => ({ query: 'q', expected, found })
  expect(
    figuresOf([
      outcome(['a'], ['a', 'b']),
      outcome(['a', 'b'], ['x', 'b']),
      outcome(['a'], ['1', '2', '3', '4', '5', '6', 'a']),
      outcome(['a'], []),
    ]),
  ).toEqual({
    queries: 4,
    'hit@1': 1 / 4,
    'hit@6': 2 / 4,
    'recall@6': (1 + 1 / 2) / 4,
    MRR: (1 + 1 / 2 + 1 / 7) / 4,
  })
  expect(figuresOf([]).MRR).toBe(0)
})
