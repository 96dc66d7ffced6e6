import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type NotePart, noteUri, plainNoteUri, readNoteUri } from '../../src/mcp/note_uri.ts'

const section = (heading: string): NotePart => ({ kind: 'section', heading })

const cases: { uri: string; vault?: string; path: string; part?: NotePart }[] = [
  { uri: 'note:///Note.md', path: 'Note.md' },
  { uri: 'note:///a/b%20c.md', path: 'a/b c.md' },
  { uri: 'note:///a/b c.md', path: 'a/b c.md' },
  { uri: 'NOTE:///Note.md', path: 'Note.md' },
  { uri: 'note://work/Note.md', vault: 'work', path: 'Note.md' },
  { uri: 'note://my%20vault/Note.md', vault: 'my vault', path: 'Note.md' },
  { uri: 'note:///Note.md#A%20heading', path: 'Note.md', part: section('A heading') },
  { uri: 'note:///Note.md#Part::Piece', path: 'Note.md', part: section('Part::Piece') },
  { uri: 'note:///Note.md#^block', path: 'Note.md', part: { kind: 'block', id: 'block' } },
  { uri: 'note:///Note.md?property=status', path: 'Note.md', part: { kind: 'property', name: 'status' } },
  { uri: 'note:///100%.md', path: '100%.md' },
  { uri: 'note:///Note.md#', path: 'Note.md' },
]
test.each(cases)('$uri', ({ uri, vault = '', path, part = null }) => {
  expect(readNoteUri(uri)[0]).toEqual({ vault, path, part })
})

describe('what may be part of a name', () => {
  test('is also read as a name', () => {
    expect(readNoteUri('note:///C# notes.md').map(({ path }) => path)).toEqual(['C', 'C# notes.md'])
    expect(readNoteUri('note:///Why?.md').map(({ path }) => path)).toEqual(['Why?.md'])
  })

  test.each(['http://example.com/a.md', 'note:', 'note://', 'note:///', 'test://watched', ''])(
    '%p is no address of a note',
    (uri) => expect(readNoteUri(uri)).toEqual([]),
  )
})

test('every path has one address, which leads back to it', () => {
  const name = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((s) => !s.includes('/') && s.isWellFormed())
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.string(), (segments, vault) => {
      fc.pre(vault.isWellFormed())
      const path = segments.join('/')
      expect(readNoteUri(noteUri(path, vault))[0]).toEqual({ vault, path, part: null })
    }),
  )
})

test('the address without encoding is the plain path', () => {
  expect([plainNoteUri('a/b c.md'), plainNoteUri('x.md', 'work')]).toEqual([
    'note:///a/b c.md',
    'note://work/x.md',
  ])
})
