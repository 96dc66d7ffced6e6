import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readHint, removeHints, removeLeftBehind, socketFolder, writeHint } from '../../src/engine/place.ts'

let top: string
const uid = process.getuid?.() ?? null

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'knap-place-'))
})
afterEach(() => rmSync(top, { recursive: true }))

test('the folder is made for its user alone', () => {
  const folder = socketFolder({ env: {}, uid, tmp: top }) as string
  expect(folder).toBe(join(top, `knap-${uid}`))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(socketFolder({ env: {}, uid, tmp: top })).toBe(folder)
})

test("the system's folder for running programs comes first, where it is ours alone", () => {
  const runtime = join(top, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const env = { XDG_RUNTIME_DIR: runtime }
  expect(socketFolder({ env, uid, tmp: top })).toBe(join(runtime, 'knap'))
  chmodSync(runtime, 0o755)
  expect(socketFolder({ env, uid, tmp: top })).toBe(join(top, `knap-${uid}`))
})

const untrusted: { what: string; make: (folder: string) => void }[] = [
  { what: 'a folder that others may enter', make: (folder) => mkdirSync(folder, { mode: 0o755 }) },
  {
    what: 'a link to a folder',
    make: (folder) => {
      mkdirSync(`${folder}-real`, { mode: 0o700 })
      symlinkSync(`${folder}-real`, folder)
    },
  },
  { what: 'a folder in one that everybody can change', make: () => chmodSync(top, 0o777) },
]
test.each(untrusted)('$what is not used', ({ make }) => {
  make(join(top, `knap-${uid}`))
  expect(socketFolder({ env: {}, uid, tmp: top })).toBeNull()
})

test('a folder of another user is not used', () => {
  mkdirSync(join(top, 'knap-12345'), { mode: 0o700 })
  expect(socketFolder({ env: {}, uid: 12_345, tmp: top })).toBeNull()
})

test('a path that is too long for a socket is not used', () => {
  const long = join(top, 'x'.repeat(80))
  mkdirSync(long)
  expect(socketFolder({ env: {}, uid, tmp: long })).toBeNull()
})

test('hints lead to an engine until it ends', () => {
  const [key, other] = ['a'.repeat(24), 'b'.repeat(24)]
  writeHint(top, 'h1', key)
  writeHint(top, 'h2', other)
  writeHint(top, 'h3', '../../etc/passwd')
  expect(['h1', 'h2', 'h3', 'h4'].map((hint) => readHint(top, hint))).toEqual([key, other, null, null])
  removeHints(top, key)
  expect(readdirSync(top).sort()).toEqual(['h2.hint', 'h3.hint'])
})

test('what killed engines have left goes, what others use stays', () => {
  const [gone, there, lasting] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string]
  for (const name of [gone, there, `${lasting}s`]) writeFileSync(join(top, `${name}.sock`), '')
  for (const [i, key] of [gone, there, lasting].entries()) writeHint(top, `h${i}`, key)
  removeLeftBehind(top, (name) => [there, `${lasting}s`].includes(name))
  expect(readdirSync(top).sort()).toEqual([`${there}.sock`, `${lasting}s.sock`, 'h1.hint', 'h2.hint'].sort())
})
