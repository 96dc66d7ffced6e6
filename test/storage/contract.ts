import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type ErrorCode, VaultError } from '../../src/errors.ts'
import { type Storage, TEMP_PREFIX } from '../../src/storage/storage.ts'

/** One vault to run the contract on, and how to look at it and change it behind the driver's back. */
export interface Bench {
  readonly storage: Storage
  /** Where the driver knows links. */
  readonly links?: {
    /** Puts a symbolic link at `path`; `target` is relative to the link or absolute. */
    readonly make: (target: string, path: string) => Promise<void>
    /** An absolute path outside of the vault, with a file `secret.md` in it. */
    readonly outside: string
  }
  /** Removes everything. */
  readonly close: () => Promise<void>
}

const bytes = (text: string) => new TextEncoder().encode(text)

export interface Driver {
  readonly name: string
  /** False leaves the cases on symbolic links out: the driver has none. */
  readonly hasLinks: boolean
  readonly open: (files: Record<string, string>) => Promise<Bench>
}

/** The promises of `Storage`, kept by every driver. */
export function storageContract({ name, hasLinks, open }: Driver): void {
  describe(`${name} keeps the promises of a storage`, () => {
    const FILES = { 'a.md': 'A', 'f/b.md': 'B', 'f/g/c.md': 'C', 'f/g/h.txt': 'H' }
    let bench: Bench
    let storage: Storage
    beforeEach(async () => {
      bench = await open(FILES)
      storage = bench.storage
    })
    afterEach(() => bench.close())

    const text = async (path: string) => new TextDecoder().decode(await storage.read(path))
    const paths = async (folder: string, recursive = true) =>
      (await storage.list(folder, { recursive })).entries.map((e) => e.path).sort()

    test('a listing holds every file and folder once', async () => {
      expect(await paths('')).toEqual(['a.md', 'f', 'f/b.md', 'f/g', 'f/g/c.md', 'f/g/h.txt'])
      expect(await paths('', false)).toEqual(['a.md', 'f'])
      expect(await paths('f')).toEqual(['f/b.md', 'f/g', 'f/g/c.md', 'f/g/h.txt'])
      expect((await storage.list('', { recursive: true })).unreadable).toEqual([])
    })

    test('an entry tells kind, size and times', async () => {
      const { entries } = await storage.list('f', { recursive: false })
      const file = entries.find((e) => e.path === 'f/b.md')!
      expect(file).toMatchObject({ kind: 'file', size: 1 })
      expect(Math.abs(Date.now() - file.mtimeMs)).toBeLessThan(60_000)
      expect(entries.find((e) => e.path === 'f/g')).toMatchObject({ kind: 'folder', size: 0 })
    })

    test('a folder that may not be entered is neither listed nor entered', async () => {
      const asked: string[] = []
      const enter = (folder: string) => asked.push(folder) > 0 && folder !== 'f/g'
      const { entries } = await storage.list('', { recursive: true, enter })
      expect(entries.map((e) => e.path).sort()).toEqual(['a.md', 'f', 'f/b.md'])
      expect(asked.sort()).toEqual(['f', 'f/g'])
    })

    test('stat tells what stands there, and null where nothing does', async () => {
      expect(await storage.stat('f/b.md')).toMatchObject({ path: 'f/b.md', kind: 'file', size: 1 })
      expect(await storage.stat('f')).toMatchObject({ kind: 'folder' })
      expect(await storage.stat('')).toMatchObject({ path: '', kind: 'folder' })
      expect(await storage.stat('nope.md')).toBeNull()
      expect(await storage.stat('no/such/folder.md')).toBeNull()
      expect(await storage.stat('a.md/below')).toBeNull()
    })

    const READS = [
      { path: 'nope.md', code: 'not_found' },
      { path: 'no/where.md', code: 'not_found' },
      { path: 'a.md/b.md', code: 'not_found' },
      { path: 'f', code: 'is_folder' },
      { path: '', code: 'is_folder' },
      { path: '../a.md', code: 'bad_path' },
      { path: 'f/../a.md', code: 'bad_path' },
      { path: '/a.md', code: 'bad_path' },
      { path: 'f//b.md', code: 'bad_path' },
      { path: 'a\0.md', code: 'bad_path' },
    ] as const
    test.each(READS)('reading $path is $code', ({ path, code }) =>
      expect(codeOf(storage.read(path))).resolves.toBe(code),
    )

    test('a read over its bound is refused, at its bound it is not', async () => {
      await storage.write('ten.md', bytes('0123456789'), { mode: 'create' })
      expect(await codeOf(storage.read('ten.md', { maxBytes: 9 }))).toBe('too_large')
      expect((await storage.read('ten.md', { maxBytes: 10 })).length).toBe(10)
    })

    test('a new file comes with its folders, and any bytes come back', async () => {
      const all = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) & 255)
      await storage.write('new/deep/x.bin', all, { mode: 'create' })
      expect(await storage.read('new/deep/x.bin')).toEqual(all)
      await storage.write('empty.md', bytes(''), { mode: 'create' })
      expect(await text('empty.md')).toBe('')
    })

    const TAKEN = [{ path: 'a.md' }, { path: 'f' }, { path: 'a.md/below.md' }]
    test.each(TAKEN)('creating $path is already_exists and changes nothing', async ({ path }) => {
      const before = await paths('')
      expect(await codeOf(storage.write(path, bytes('new'), { mode: 'create' }))).toBe('already_exists')
      expect([await paths(''), await text('a.md')]).toEqual([before, 'A'])
    })

    test('of sixteen that create one file, one does', async () => {
      const made = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          codeOf(storage.write('race/x.md', bytes(`${i}`), { mode: 'create' })),
        ),
      )
      expect(made.filter((code) => code === null).length).toBe(1)
      expect(made.filter((code) => code === 'already_exists').length).toBe(15)
      expect(await text('race/x.md')).toBe(`${made.indexOf(null)}`)
    })

    test('a replacement takes the place whole, and its time moves on', async () => {
      for (let i = 0; i < 5; i++) {
        const before = (await storage.stat('a.md'))!.mtimeMs
        await storage.write('a.md', bytes(`new ${i}`), { mode: 'replace' })
        expect(await text('a.md')).toBe(`new ${i}`)
        expect((await storage.stat('a.md'))!.mtimeMs).toBeGreaterThan(before)
      }
    })

    test('nothing is replaced where nothing stands', async () => {
      expect(await codeOf(storage.write('no/pe.md', bytes('x'), { mode: 'replace' }))).toBe('not_found')
      expect(await codeOf(storage.write('f', bytes('x'), { mode: 'replace' }))).toBe('is_folder')
      expect(await storage.stat('no')).toBeNull()
    })

    test('the check sees the bytes that stand there, and its throw leaves everything as it was', async () => {
      const seen: string[] = []
      const refuse = (current: Uint8Array) => {
        seen.push(new TextDecoder().decode(current))
        throw new VaultError('conflict', 'no', { hint: '' })
      }
      expect(await codeOf(storage.write('a.md', bytes('new'), { mode: 'replace', check: refuse }))).toBe(
        'conflict',
      )
      expect([seen, await text('a.md'), await paths('', false)]).toEqual([['A'], 'A', ['a.md', 'f']])
      await storage.write('a.md', bytes('new'), { mode: 'replace', check: () => {} })
      expect(await text('a.md')).toBe('new')
    })

    test('files and folders move, with new folders on the way', async () => {
      await storage.rename('a.md', 'x/y/z.md')
      expect([await text('x/y/z.md'), await storage.stat('a.md')]).toEqual(['A', null])
      await storage.rename('f/g', 'moved')
      expect(await paths('moved')).toEqual(['moved/c.md', 'moved/h.txt'])
      expect(await storage.stat('f/g')).toBeNull()
    })

    const MOVES = [
      { from: 'nope.md', to: 'x.md', code: 'not_found' },
      { from: 'a.md', to: 'f/b.md', code: 'already_exists' },
      { from: 'a.md', to: 'f', code: 'already_exists' },
      { from: 'f/g', to: 'a.md', code: 'already_exists' },
      { from: 'a.md', to: 'f/b.md/x.md', code: 'already_exists' },
      { from: 'f', to: 'f/g/f', code: 'bad_path' },
      { from: 'a.md', to: '../a.md', code: 'bad_path' },
      { from: 'a.md', to: '', code: 'already_exists' },
    ] as const
    test.each(MOVES)('moving $from to $to is $code and changes nothing', async ({ from, to, code }) => {
      const before = await paths('')
      expect(await codeOf(storage.rename(from, to))).toBe(code)
      expect(await paths('')).toEqual(before)
    })

    test('a name changes its case and its normal form', async () => {
      await storage.write('Caf\u00e9.md', bytes('c'), { mode: 'create' })
      await storage.rename('Caf\u00e9.md', 'Cafe\u0301.md')
      await storage.rename('a.md', 'A.md')
      expect(await paths('', false)).toEqual(['A.md', 'Cafe\u0301.md', 'f'])
    })

    test('what is removed is gone; what is no file is not removed', async () => {
      await storage.remove('f/b.md')
      expect(await storage.stat('f/b.md')).toBeNull()
      expect(await codeOf(storage.remove('f/b.md'))).toBe('not_found')
      expect(await codeOf(storage.remove('f'))).toBe('is_folder')
      expect(await codeOf(storage.remove(''))).toBe('is_folder')
    })

    test('folders are made with their parents, and removed only when empty', async () => {
      await storage.makeFolder('p/q')
      await storage.makeFolder('p/q')
      expect(await codeOf(storage.makeFolder('a.md'))).toBe('already_exists')
      expect(await storage.removeEmptyFolder('p')).toBe(false)
      expect(await storage.removeEmptyFolder('p/q')).toBe(true)
      expect(await storage.removeEmptyFolder('p')).toBe(true)
      expect(await storage.removeEmptyFolder('')).toBe(false)
      expect(await codeOf(storage.removeEmptyFolder('p'))).toBe('not_found')
    })

    test('listing what is no folder is not_found', async () => {
      expect(await codeOf(storage.list('a.md', { recursive: true }))).toBe('not_found')
      expect(await codeOf(storage.list('nope', { recursive: true }))).toBe('not_found')
    })

    test('temporary files are not listed, and a sweep takes the old ones', async () => {
      await storage.write(`f/${TEMP_PREFIX}0123`, bytes('half'), { mode: 'create' })
      expect(await paths('f')).toEqual(['f/b.md', 'f/g', 'f/g/c.md', 'f/g/h.txt'])
      expect(await storage.sweep(60_000)).toBe(0)
      expect(await storage.sweep(-60_000)).toBe(1)
      expect(await storage.sweep(-60_000)).toBe(0)
      expect(await text('f/b.md')).toBe('B')
    })

    test('a hundred failing calls leave room for a good one', async () => {
      await Promise.all(Array.from({ length: 100 }, () => codeOf(storage.read('f'))))
      await Promise.all(
        Array.from({ length: 100 }, () => codeOf(storage.write('f', bytes('x'), { mode: 'replace' }))),
      )
      expect(await text('a.md')).toBe('A')
    })

    if (hasLinks) {
      const links = async () => {
        const { make: link, outside } = bench.links!
        await link('../a.md', 'f/in.md')
        await link('f/g', 'lf')
        await link('..', 'f/g/up')
        await link(`${outside}/secret.md`, 'out.md')
        await link(outside, 'out')
        await link(`${outside}/new.md`, 'dangling.md')
        await link('nowhere.md', 'empty.md')
        await link('loop.md', 'loop.md')
      }

      test('links are listed where they lead to something inside, and folders are not entered twice', async () => {
        await links()
        const { entries, unreadable } = await storage.list('', { recursive: true })
        expect(unreadable).toEqual([])
        const linked = entries.filter((e) => e.link !== undefined).map((e) => [e.path, e.kind, e.link])
        expect(linked.sort()).toEqual([
          ['f/g/up', 'folder', 'f'],
          ['f/in.md', 'file', 'a.md'],
          ['lf', 'folder', 'f/g'],
        ])
        expect(entries.length).toBe(Object.keys(FILES).length + 2 + 3)
        expect(await paths('lf')).toEqual(['lf/c.md', 'lf/h.txt', 'lf/up'])
      })

      test('links that lead into what may not be entered are not listed', async () => {
        await links()
        const { entries } = await storage.list('', { recursive: true, enter: (f) => f !== 'f/g' })
        expect(entries.map((e) => e.path).sort()).toEqual(['a.md', 'f', 'f/b.md', 'f/in.md'])
      })

      test('links are followed inside for reading and replacing; the link stays', async () => {
        await links()
        expect(await text('f/in.md')).toBe('A')
        await storage.write('f/in.md', bytes('new'), { mode: 'replace', check: () => {} })
        expect([await text('a.md'), (await storage.stat('f/in.md'))!.link]).toEqual(['new', 'a.md'])
        await storage.write('lf/new.md', bytes('n'), { mode: 'create' })
        expect([await text('f/g/new.md'), (await storage.stat('lf/new.md'))!.link]).toEqual([
          'n',
          'f/g/new.md',
        ])
      })

      test('links are what a move or a removal acts on', async () => {
        await links()
        await storage.rename('f/in.md', 'moved.md').then(() => storage.remove('moved.md'))
        for (const path of ['lf', 'out.md', 'dangling.md', 'loop.md']) await storage.remove(path)
        expect([await text('a.md'), await text('f/g/c.md')]).toEqual(['A', 'C'])
      })

      const OUT = [
        'out.md',
        'out/secret.md',
        'out/new/x.md',
        'dangling.md',
        'empty.md',
        'loop.md',
        'dangling.md/x.md',
      ]
      test.each(OUT)('link %s leads out or nowhere: outside_vault for everything', async (path) => {
        await links()
        expect(await codeOf(storage.read(path))).toBe('outside_vault')
        expect(await codeOf(storage.stat(path))).toBe('outside_vault')
        expect(await codeOf(storage.write(path, bytes('x'), { mode: 'create' }))).toBe('outside_vault')
        expect(await codeOf(storage.write(path, bytes('x'), { mode: 'replace' }))).toBe('outside_vault')
        expect(await codeOf(storage.rename('a.md', path))).toBe('outside_vault')
        expect(await codeOf(storage.makeFolder(path))).toBe('outside_vault')
        expect(await text('a.md')).toBe('A')
      })
    }

    test('messages name vault-relative paths only', async () => {
      for (const work of [
        () => storage.read('nope.md'),
        () => storage.read('f'),
        () => storage.rename('a.md', 'f/b.md'),
        () => storage.write('a.md', bytes(''), { mode: 'create' }),
      ]) {
        const error = await work().then(
          () => null,
          (e: unknown) => e,
        )
        expect(error).toBeInstanceOf(VaultError)
        expect(`${(error as VaultError).message}${(error as VaultError).hint}`).not.toMatch(
          /\/(tmp|home|root|var)\b|E[A-Z]{4,}/,
        )
      }
    })
  })
}

/** The code of the failure, or null where there is none. */
export async function codeOf(work: Promise<unknown>): Promise<ErrorCode | string | null> {
  try {
    await work
    return null
  } catch (error) {
    return error instanceof VaultError ? error.code : String(error)
  }
}
