import { expect, test } from 'bun:test'
import { type Opener, openInApplication, openUri } from '../../src/vault/open.ts'

test.each<[Parameters<typeof openUri>[0], string]>([
  [
    { vault: 'vault', path: 'sub dir/My & Note.md' },
    'obsidian://open?vault=vault&file=sub%20dir%2FMy%20%26%20Note',
  ],
  [
    { vault: 'My Vault', path: 'a.md', newLeaf: true },
    'obsidian://open?vault=My%20Vault&file=a&paneType=tab',
  ],
  [{ vault: 'v', path: 'a.md', heading: 'Part One' }, 'obsidian://open?vault=v&file=a%23Part%20One'],
  [
    { vault: 'v', path: 'a.md', heading: '## A::B [x] | y' },
    'obsidian://open?vault=v&file=a%23A%23B%20x%20y',
  ],
  [{ vault: 'v', path: 'img/x.png' }, 'obsidian://open?vault=v&file=img%2Fx.png'],
  [
    { vault: 'v', path: '日本 $(rm) `x` \'y\' "z".md' },
    'obsidian://open?vault=v&file=%E6%97%A5%E6%9C%AC%20%24%28rm%29%20%60x%60%20%27y%27%20%22z%22',
  ],
])('%j is opened by %s', (request, right) => {
  expect(openUri(request)).toBe(right)
})

function fake(platform: string, { found = true, code = 0 as number | null | Error } = {}) {
  const started: string[][] = []
  const opener: Opener = {
    platform,
    which: (program) => (found ? `/bin/${program}` : null),
    async start(command) {
      started.push([...command])
      if (code instanceof Error) throw code
      return code
    },
  }
  return { opener, started }
}

const REQUEST = { vault: 'v', path: 'a.md' }
const URI = 'obsidian://open?vault=v&file=a'

test.each([
  ['linux', ['/bin/xdg-open', URI]],
  ['darwin', ['/bin/open', URI]],
  ['win32', ['/bin/rundll32.exe', 'url.dll,FileProtocolHandler', URI]],
])('on %s it starts %j', async (platform, right) => {
  const { opener, started } = fake(platform)
  expect(await openInApplication(REQUEST, opener)).toBe(URI)
  expect(started).toEqual([right])
})

test('an opener that keeps running is taken as a success', async () => {
  expect(await openInApplication(REQUEST, fake('linux', { code: null }).opener)).toBe(URI)
})

test.each([
  ['no opener', fake('linux', { found: false })],
  ['an unknown platform', fake('aix')],
  ['an opener that fails', fake('linux', { code: 3 })],
  ['an opener that cannot be started', fake('linux', { code: new Error('EACCES') })],
])('%s is "unavailable", with the address for the user', async (_name, { opener }) => {
  await expect(openInApplication(REQUEST, opener)).rejects.toMatchObject({
    code: 'unavailable',
    details: { uri: URI },
  })
})
