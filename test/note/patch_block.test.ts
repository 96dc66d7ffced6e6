import { describe, expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { patchNote } from '../../src/note/patch.ts'
import type { PatchRequest } from '../../src/note/patch_request.ts'

const patched = (before: string, operation: PatchRequest['operation'], content: string): string => {
  try {
    return patchNote(before, { operation, targetType: 'block', target: 'i', content }).text
  } catch (error) {
    return error instanceof VaultError ? error.code : String(error)
  }
}

describe('a block on the first line of a note with a byte-order mark', () => {
  const cases: [PatchRequest['operation'], before: string, content: string, after: string][] = [
    ['append', 'a ^i', 'n', 'a ^i\n\nn'],
    ['prepend', 'a ^i\n', 'n', 'n\n\na ^i\n'],
    ['replace', '> a ^i\n', 'n', '> n ^i\n'],
    ['replace', '```\na\n```\n^i\n', 'n', '```\nn\n```\n^i\n'],
    ['replace', '| a |\n|---|\n^i\n', '| b |\n|---|', '| b |\n|---|\n^i\n'],
    ['append', '- a ^i\n- b\n', '- n', '- a ^i\n- n\n- b\n'],
    ['prepend', '- a ^i\n- b\n', '- n', '- n\n- a ^i\n- b\n'],
    ['replace', '- a ^i\n', 'n\nm', '- n\n  m ^i\n'],
    ['delete', 'a ^i\n', '', ''],
  ]
  test.each(cases)('%s: %j with %j is %j behind it', (operation, before, content, after) => {
    expect(patched(before, operation, content)).toBe(after)
    expect(patched(`\ufeff${before}`, operation, content)).toBe(`\ufeff${after}`)
  })
})

describe('what takes the place of a block is the block', () => {
  const cases: [before: string, content: string, after: string][] = [
    ['- a\n\n  <div>\n  x\n  </div>\n\n  ^i\n', '<p>\ny\n</p>', '- a\n\n  <p>\n  y\n  </p>\n\n  ^i\n'],
    ['- a\n\n  ***\n\n  ^i\n', 'n', '- a\n\n  n\n\n  ^i\n'],
    ['1. a\n\n   $$\n   x\n   $$\n   ^i\n', '$$\ny\n$$', '1. a\n\n   $$\n   y\n   $$\n   ^i\n'],
    ['## A\na ^i\n', '\n\nn\n\n', '## A\nn ^i\n'],
    ['- a ^i\n- b\n', '\nn', '- n ^i\n- b\n'],
    ['    code\n\n^i\n', '    other\n', '    other\n\n^i\n'],
    ['    code\n\n^i\n', 'other', '    other\n\n^i\n'],
  ]
  test.each(cases)('%j with %j is %j, also a second time', (before, content, after) => {
    expect(patched(before, 'replace', content)).toBe(after)
    expect(patched(after, 'replace', content)).toBe(after)
  })

  test.each([
    ['an item by a fence would leave its list', '- z\n- a ^i\n- b\n', '```\nc\n```'],
    ['an item by a quote as well', '1. a ^i\n2. b\n', '> q'],
    ['an id alone would give the id to what stands above', 'x\n\n## A\n| a |\n|---|\n\n^i\n', '^new'],
  ])('%s', (_, before, content) => {
    expect(patched(before, 'replace', content)).toBe('bad_argument')
  })
})

/** Line ends, a byte-order mark and properties above are clothes: an edit leaves them and is the same in all. */
describe('an edit is the same in other clothes', () => {
  const notes = [
    '# T\n\n## A\nx\n\n## B\ny ^i\n',
    '- a ^i\n  - kid\n- b\n\n## A\n',
    '> q ^i\n> r\n\n## A\n> [!note] N\n> t\n',
    '| a |\n|---|\n| 1 |\n^i\n\n## A\n```\ny\n```\n',
    'T\n===\nx\n\nA\n---\ny ^i\n',
  ]
  const contents = ['- n', 'n', '> n', '```\nn\n```', '### D\nn', '']
  const operations = ['append', 'prepend', 'replace', 'delete'] as const
  const targets = [
    ['heading', 'A'],
    ['block', 'i'],
  ] as const
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')
  const clothes: [string, (text: string) => string][] = [
    ['CRLF', crlf],
    ['a byte-order mark', (text) => `\ufeff${text}`],
    ['properties', (text) => `---\nk: v\n---\n${text}`],
    ['all of them', (text) => crlf(`\ufeff---\nk: v\n---\n${text}`)],
  ]
  test.each(clothes)('%s', (_, dress) => {
    const answer = (text: string, request: PatchRequest) => {
      try {
        return { text: patchNote(text, request).text }
      } catch (error) {
        return { code: (error as VaultError).code }
      }
    }
    for (const note of notes)
      for (const operation of operations)
        for (const content of contents)
          for (const [targetType, target] of targets) {
            const request = { operation, targetType, target, content }
            const plain = answer(note, request)
            const right = plain.text === undefined ? plain : { text: dress(plain.text) }
            expect([note, request, answer(dress(note), request)]).toEqual([note, request, right] as never)
          }
  })
})
