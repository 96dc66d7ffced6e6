import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArchive } from '../../src/docs/archive.ts'
import { LIMITS, type Limits } from '../../src/docs/limits.ts'
import { VaultError } from '../../src/errors.ts'
import { type ZipEntry, zipOf } from './zip.ts'

const folder = mkdtempSync(join(tmpdir(), 'knap-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
async function read(bytes: Uint8Array, folders: string[] = [], limits: Partial<Limits> = {}) {
  const file = join(folder, `${files++}.zip`)
  writeFileSync(file, bytes)
  const { signal } = new AbortController()
  const stream = await openArchive(file, { folders, limits: { ...LIMITS, ...limits }, source: 'it', signal })
  try {
    const pages: Record<string, string> = {}
    for await (const { path, text } of stream.pages()) pages[path] = text
    return { pages, left: stream.left, count: stream.count }
  } finally {
    await stream.close()
  }
}

async function failure(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise
  } catch (error) {
    if (error instanceof VaultError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('it did not fail')
}

const A: ZipEntry = { name: 'docs-main/en/A.md', text: '# A\nwords' }

describe('what is read', () => {
  const all: ZipEntry[] = [
    { name: 'docs-main/', text: '' },
    A,
    { name: 'docs-main/de/B.md', text: 'Wörter' },
    { name: 'docs-main/README.md', text: 'top', stored: true },
    { name: 'docs-main/en/picture.png', text: 'no page' },
    { name: 'docs-main/.github/Hidden.md', text: 'no' },
  ]
  const cases: { title: string; entries: ZipEntry[]; folders: string[]; right: Record<string, string> }[] = [
    {
      title: 'pages, without the one folder around them',
      entries: all,
      folders: [],
      right: { 'en/A.md': '# A\nwords', 'de/B.md': 'Wörter', 'README.md': 'top' },
    },
    {
      title: 'only the folders that are named',
      entries: all,
      folders: ['EN'],
      right: { 'en/A.md': '# A\nwords' },
    },
    {
      title: 'several folders at the root stay',
      entries: [
        { ...A, name: 'en/A.md' },
        { ...A, name: 'de/A.md' },
      ],
      folders: ['de'],
      right: { 'de/A.md': '# A\nwords' },
    },
  ]
  test.each(cases)('$title', async ({ entries, folders, right }) => {
    expect((await read(zipOf(entries), folders)).pages).toEqual(right)
  })

  test('a folder that is left out is not unpacked, so nothing in it does harm', async () => {
    const broken = { name: 'docs-main/de/B.md', text: 'x', crc32: 1 }
    expect((await read(zipOf([A, broken]), ['en'])).pages).toEqual({ 'en/A.md': '# A\nwords' })
  })
})

describe('what is left out, and said', () => {
  const cases: { title: string; entry: ZipEntry; reason: RegExp }[] = [
    {
      title: 'a link',
      entry: { name: 'docs-main/L.md', text: '/etc/passwd', mode: 0o120777 },
      reason: /link/,
    },
    {
      title: 'a device',
      entry: { name: 'docs-main/D.md', text: '', mode: 0o020666 },
      reason: /no ordinary file/,
    },
    { title: 'a name with a line end', entry: { name: 'docs-main/a\nb.md', text: 'x' }, reason: /control/ },
    { title: 'a second file of one name', entry: A, reason: /twice/ },
    {
      title: 'a page over the limit',
      entry: { name: 'docs-main/Big.md', text: 'a b'.repeat(400) },
      reason: /1200 bytes/,
    },
  ]
  test.each(cases)('$title', async ({ entry, reason }) => {
    const { pages, left } = await read(zipOf([A, entry]), [], { entryBytes: 1000 })
    expect(pages).toEqual({ 'en/A.md': '# A\nwords' })
    expect(left.map((l) => l.reason)).toEqual([expect.stringMatching(reason)])
  })
})

describe('what is refused as a whole', () => {
  const cases: { title: string; bytes: Uint8Array; limits?: Partial<Limits>; code: string; says: RegExp }[] =
    [
      {
        title: 'a name that climbs',
        bytes: zipOf([A, { name: '../evil.md', text: 'x' }]),
        code: 'unavailable',
        says: /relative path/,
      },
      {
        title: 'a name that climbs in the middle',
        bytes: zipOf([{ name: 'a/../../evil.md', text: 'x' }]),
        code: 'unavailable',
        says: /relative path/,
      },
      {
        title: 'a name that climbs by backslashes',
        bytes: zipOf([{ name: '..\\evil.md', text: 'x' }]),
        code: 'unavailable',
        says: /relative path/,
      },
      {
        title: 'an absolute name',
        bytes: zipOf([A, { name: '/etc/evil.md', text: 'x' }]),
        code: 'unavailable',
        says: /absolute path/,
      },
      {
        title: 'a name with a drive',
        bytes: zipOf([{ name: 'C:/evil.md', text: 'x' }]),
        code: 'unavailable',
        says: /absolute path/,
      },
      {
        title: 'a bomb',
        bytes: zipOf([A, { name: 'docs-main/Bomb.md', text: '0'.repeat(3_000_000) }]),
        code: 'too_large',
        says: /bomb/,
      },
      {
        title: 'a bomb that claims to be small',
        bytes: zipOf([{ name: 'Bomb.md', text: '0'.repeat(3_000_000), claims: 10 }]),
        code: 'unavailable',
        says: /too many bytes/,
      },
      {
        title: 'too many files',
        bytes: zipOf([A, A, A]),
        limits: { entries: 2 },
        code: 'too_large',
        says: /more than 2 files/,
      },
      {
        title: 'too many bytes together',
        bytes: zipOf([A, { name: 'docs-main/B.md', text: 'words' }]),
        limits: { totalBytes: 12 },
        code: 'too_large',
        says: /more than 12 bytes together/,
      },
      {
        title: 'a wrong checksum',
        bytes: zipOf([{ ...A, crc32: 1 }]),
        code: 'unavailable',
        says: /checksum/,
      },
      {
        title: 'an archive that is cut off',
        bytes: zipOf([A]).slice(0, -30),
        code: 'unavailable',
        says: /no sound ZIP/,
      },
      { title: 'no archive at all', bytes: Buffer.from('<html>'), code: 'unavailable', says: /no sound ZIP/ },
      { title: 'an empty archive', bytes: zipOf([]), code: 'unavailable', says: /no file/ },
      {
        title: 'an archive without a page',
        bytes: zipOf([{ name: 'a/x.png', text: 'x' }]),
        code: 'not_found',
        says: /no Markdown page/,
      },
    ]
  test.each(cases)('$title', async ({ bytes, limits, code, says }) => {
    const found = await failure(read(bytes, [], limits))
    expect(found.code).toBe(code)
    expect(found.message).toMatch(says)
  })

  test('a folder that is not there is answered with those that are', async () => {
    expect.assertions(1)
    try {
      await read(zipOf([A, { name: 'docs-main/de/B.md', text: 'x' }]), ['fr'])
    } catch (error) {
      expect((error as VaultError).hint).toBe('Its folders: de, en.')
    }
  })
})
