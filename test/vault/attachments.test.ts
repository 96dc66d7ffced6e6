import { describe, expect, test } from 'bun:test'
import { readAppSettings } from '../../src/vault/app_settings.ts'
import {
  decodeBase64,
  listAttachments,
  MAX_ATTACHMENT_BYTES,
  orphanAttachments,
  placeForAttachment,
  readAttachment,
} from '../../src/vault/attachments.ts'
import { storageOf } from './storage_of.ts'

const refusal = (code: string) => expect.objectContaining({ name: 'VaultError', code })

async function place(
  setting: string | null,
  name: string,
  { note, files = {} }: { note?: string; files?: Record<string, string> } = {},
) {
  const settings =
    setting === null ? {} : { '.obsidian/app.json': JSON.stringify({ attachmentFolderPath: setting }) }
  const storage = storageOf({ ...settings, ...files })
  return await placeForAttachment({ storage, settings: await readAppSettings(storage), name, note })
}

describe('a new attachment', () => {
  test.each<[setting: string | null, name: string, note: string | undefined, right: string]>([
    [null, 'a.png', 'n/x.md', 'a.png'],
    ['/', 'a.png', 'n/x.md', 'a.png'],
    ['', 'a.png', 'n/x.md', 'a.png'],
    ['Files', 'a.png', 'n/x.md', 'Files/a.png'],
    ['Files/Img/', 'a.png', undefined, 'Files/Img/a.png'],
    ['/Files', 'a.png', undefined, 'Files/a.png'],
    ['./', 'a.png', 'n/m/x.md', 'n/m/a.png'],
    ['.', 'a.png', 'n/x.md', 'n/a.png'],
    ['./img', 'a.png', 'n/x.md', 'n/img/a.png'],
    ['./img', 'a.png', 'x.md', 'img/a.png'],
    ['./img', 'a.png', undefined, 'img/a.png'],
    ['Files', 'Own/a.png', 'n/x.md', 'Own/a.png'],
    ['Files', '/a.png', undefined, 'a.png'],
    ['Files', 'no extension', undefined, 'Files/no extension'],
  ])('with the setting %p, %p for %p goes to %p', async (setting, name, note, right) => {
    expect(await place(setting, name, note === undefined ? {} : { note })).toBe(right)
  })

  test.each([
    [{}, 'a.png', 'F/a.png'],
    [{ 'F/a.png': '' }, 'a.png', 'F/a 1.png'],
    [{ 'F/a.png': '', 'F/a 1.png': '' }, 'a.png', 'F/a 2.png'],
    [{ 'F/A.PNG': '' }, 'a.png', 'F/a 1.png'],
    [{ 'F/Cafe\u0301.png': '' }, 'Caf\u00e9.png', 'F/Caf\u00e9 1.png'],
    [{ 'F/a.png/x.md': '' }, 'a.png', 'F/a 1.png'],
    [{ 'F/a': '' }, 'a', 'F/a 1'],
    [{ 'F/.x': '', 'F/a.tar.gz': '' }, 'a.tar.gz', 'F/a.tar 1.gz'],
  ])('beside %j, %p becomes %p', async (files, name, right) => {
    expect(await place('F', name, { files: files as Record<string, string> })).toBe(right)
  })

  test.each([
    ['Files', 'note.md', 'bad_argument'],
    ['Files', 'board.canvas', 'bad_argument'],
    ['Files', '', 'bad_argument'],
    ['Files', '../a.png', 'outside_vault'],
    ['Files', 'C:/a.png', 'outside_vault'],
    ['Files', 'a:b.png', 'bad_path'],
    ['Files', '.obsidian/a.png', 'bad_path'],
    ['Files', 'a\\b.png', 'bad_path'],
    ['../out', 'a.png', 'outside_vault'],
    ['./../../out', 'a.png', 'outside_vault'],
    ['.git', 'a.png', 'bad_path'],
    ['/etc/x', 'a.png', 'outside_vault'],
  ])('with the setting %p, %p is refused as %s', async (setting, name, code) => {
    await expect(place(setting, name)).rejects.toEqual(refusal(code))
  })
})

const FILES = ['b.png', 'a.pdf', 'n.md', 'c.canvas', 'x.base', 'LICENSE', 'd/e.mp3'].map((path, i) => ({
  path,
  size: i,
  mtimeMs: 0,
}))

test('a list holds what is no note and no text, by path', () => {
  expect(listAttachments(FILES).map(({ path }) => path)).toEqual(['LICENSE', 'a.pdf', 'b.png', 'd/e.mp3'])
  expect(listAttachments(FILES)[1]).toEqual({
    path: 'a.pdf',
    size: 1,
    mediaType: 'application/pdf',
    modified: '1970-01-01T00:00:00.000Z',
  })
})

test('orphans are those that nothing links to', () => {
  expect(orphanAttachments(FILES, (path) => path === 'b.png').map(({ path }) => path)).toEqual([
    'LICENSE',
    'a.pdf',
    'd/e.mp3',
  ])
})

test('reading answers bytes and type, and leaves notes to the tools for notes', async () => {
  const storage = storageOf({ 'a.png': new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'n.md': '' })
  expect(await readAttachment(storage, 'a.png')).toEqual({
    bytes: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]),
    mediaType: 'image/jpeg',
  })
  await expect(readAttachment(storage, 'n.md')).rejects.toEqual(refusal('bad_argument'))
  await expect(readAttachment(storage, 'gone.png')).rejects.toEqual(refusal('not_found'))
})

describe('base64', () => {
  test.each([
    ['aGk=', 'hi'],
    ['aGk', 'hi'],
    ['data:image/png;base64,aGk=', 'hi'],
    ['aG\nk=\n', 'hi'],
    ['-_-_', '\ufffd\ufffd\ufffd'],
    ['', ''],
  ])('%j is %j', (data, right) => expect(new TextDecoder().decode(decodeBase64(data))).toBe(right))

  test.each(['aGk=x', 'a', 'ä', 'aGk===', '{"a":1}'])('%j is none', (data) => {
    expect(() => decodeBase64(data)).toThrow(refusal('bad_argument') as never)
  })

  test('too much is refused before it is decoded', () => {
    expect(() => decodeBase64('A'.repeat((MAX_ATTACHMENT_BYTES / 3) * 4 + 8))).toThrow(/more than/)
  })
})
