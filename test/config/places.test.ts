import { expect, test } from 'bun:test'
import {
  absolutePath,
  defaultCacheFolder,
  defaultDataFolder,
  isWithin,
  vaultFolders,
} from '../../src/config/places.ts'

const windows = { LOCALAPPDATA: 'C:\\L', APPDATA: 'C:\\R' }
const folders: [NodeJS.Platform, Record<string, string>, string, string][] = [
  ['linux', {}, '/h/.local/state/knap', '/h/.cache/knap'],
  ['linux', { XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/c' }, '/s/knap', '/c/knap'],
  ['darwin', {}, '/h/Library/Application Support/knap', '/h/Library/Caches/knap'],
  ['win32', windows, 'C:\\L\\knap\\data', 'C:\\L\\knap\\cache'],
  ['win32', {}, '\\h\\AppData\\Local\\knap\\data', '\\h\\AppData\\Local\\knap\\cache'],
]
test.each(folders)('on %s with %p', (platform, env, data, cache) => {
  const machine = { platform, env, home: '/h', cwd: '/' }
  expect([defaultDataFolder(machine), defaultCacheFolder(machine)]).toEqual([data, cache])
})

const paths: [string, string][] = [
  ['~', '/h'],
  ['~/a/', '/h/a'],
  ['~a', '/b/~a'],
  ['a//b/../c', '/b/a/c'],
  ['/', '/'],
  ['/x///', '/x'],
]
test.each(paths)('%s is %s', (raw, right) => {
  expect(absolutePath(raw, '/b', { platform: 'linux', home: '/h' })).toBe(right)
})

const nested: [string, string, boolean][] = [
  ['/v', '/v', true],
  ['/v/a', '/v', true],
  ['/v-evil/a', '/v', false],
  ['/', '/v', false],
  ['/v/..a', '/v', true],
]
test.each(nested)('%s within %s: %p', (inner, outer, right) => {
  expect(isWithin(inner, outer, { platform: 'linux' })).toBe(right)
})

test('two vaults never share a folder, one vault always has the same', () => {
  const dirs = { dataDir: '/d', cacheDir: '/c' }
  const one = vaultFolders(dirs, '/home/a/Notes')
  expect(one).toEqual(vaultFolders(dirs, '/home/a/Notes'))
  expect(one.data).toMatch(/^\/d\/vaults\/[0-9a-f]{32}$/)
  expect(one.cache).toBe(one.data.replace('/d/', '/c/'))
  expect(vaultFolders(dirs, '/home/b/Notes')).not.toEqual(one)
})
