import { describe, expect, test } from 'bun:test'
import { readAddress } from '../../src/storage/sftp/address.ts'
import { hostSettings, type Machine } from '../../src/storage/sftp/ssh_config.ts'
import { targetOf } from '../../src/storage/sftp/target.ts'

function machine(files: Record<string, string>, agent: string | null = '/agent'): Machine {
  return { home: '/home/ada', userName: 'ada', agent, readFile: (path) => files[path] ?? null }
}

const CONFIG = '/home/ada/.ssh/config'

describe('an address', () => {
  const RIGHT = [
    { uri: 'sftp://box/srv/n', right: { user: null, host: 'box', port: null, folder: '/srv/n' } },
    { uri: 'sftp://me@box:2222/n%20o', right: { user: 'me', host: 'box', port: 2222, folder: '/n o' } },
    { uri: 'sftp://box/', right: { user: null, host: 'box', port: null, folder: '/' } },
    { uri: 'sftp://[::1]:22/n/', right: { user: null, host: '::1', port: 22, folder: '/n' } },
  ]
  test.each(RIGHT)('$uri is read', ({ uri, right }) => expect(readAddress(uri)).toEqual(right))

  const WRONG = ['http://box/n', 'sftp:///n', 'sftp://box/%zz', 'sftp://-oProxyCommand=x/n', 'nonsense']
  test.each(WRONG)('%s is refused', (uri) =>
    expect(() => readAddress(uri)).toThrow(/is no address of a remote vault/),
  )
})

describe("the user's SSH settings", () => {
  const CASES: { config: string; files?: Record<string, string>; right: Record<string, unknown> }[] = [
    { config: '', right: { host: 'box', port: 22, user: 'ada', agent: '/agent', jumps: [] } },
    {
      config: 'Host box\n  HostName box.example\n  Port 2222\n  User eve\nHost *\n  User other\n',
      right: { host: 'box.example', port: 2222, user: 'eve' },
    },
    { config: 'host b*\n  hostname %h.lan\n', right: { host: 'box.lan' } },
    { config: 'Host other\n  User eve\n', right: { user: 'ada' } },
    {
      config: 'Host box\n  IdentityFile ~/.ssh/k_%h_%r\n  IdentityFile /abs\n  IdentitiesOnly yes\n',
      right: { identityFiles: ['/home/ada/.ssh/k_box_ada', '/abs'], identitiesOnly: true },
    },
    { config: 'Host box\n  IdentityAgent none\n', right: { agent: null } },
    { config: 'Host box\n  IdentityAgent ~/a.sock\n', right: { agent: '/home/ada/a.sock' } },
    { config: 'Host box\n  ProxyJump a,me@b:23\n', right: { jumps: ['a', 'me@b:23'] } },
    { config: 'Host box\n  ProxyJump none\n', right: { jumps: [] } },
    {
      config: 'Host box\n  UserKnownHostsFile ~/kh /other\n  HostKeyAlias alias\n',
      right: {
        knownHostsFiles: ['/home/ada/kh', '/other', '/etc/ssh/ssh_known_hosts'],
        hostKeyAlias: 'alias',
      },
    },
    {
      config: 'Include more\n',
      files: { '/home/ada/.ssh/more': 'Host box\n  Port 99\n' },
      right: { port: 99 },
    },
    { config: 'Match exec "touch /tmp/knap-was-run"\n  Port 99\n', right: { port: 22 } },
  ]
  test.each(CASES)('$config', ({ config, files = {}, right }) => {
    const found = hostSettings(readAddress('sftp://box/n'), CONFIG, machine({ [CONFIG]: config, ...files }))
    expect(found).toMatchObject(right)
  })

  test('what the address says beats them', () => {
    const config = 'Host box\n  Port 2222\n  User eve\n'
    const found = hostSettings(readAddress('sftp://me@box:22/n'), CONFIG, machine({ [CONFIG]: config }))
    expect(found).toMatchObject({ port: 22, user: 'me' })
  })

  test('a command that would have to be run is refused', () => {
    const config = 'Host box\n  ProxyCommand nc %h %p\n'
    expect(() => hostSettings(readAddress('sftp://box/n'), CONFIG, machine({ [CONFIG]: config }))).toThrow(
      /ProxyCommand, which is not run here/,
    )
  })
})

describe('the way to a vault', () => {
  const OPTIONS = {
    fingerprint: null,
    knownHosts: [],
    configFile: CONFIG,
    keyFile: null,
    passphrase: null,
    password: 'secret',
  }

  test('goes through the hosts that are named, and only the last one is given the password and the pin', () => {
    const files = { [CONFIG]: 'Host box\n  ProxyJump first,second\n' }
    const pinned = { ...OPTIONS, fingerprint: 'SHA256:x' }
    const target = targetOf(readAddress('sftp://box/n'), pinned, machine(files))
    expect([target.host, target.through?.host, target.through?.through?.host]).toEqual([
      'box',
      'second',
      'first',
    ])
    expect(target.credentials.tried).toContain('the password')
    expect(target.through!.credentials.tried).not.toContain('the password')
    expect(target.through!.trust.fingerprint).toBeNull()
  })

  test('that goes in a circle is refused', () => {
    const files = { [CONFIG]: 'Host *\n  ProxyJump box\n' }
    expect(() => targetOf(readAddress('sftp://box/n'), OPTIONS, machine(files))).toThrow(/more than 8 hosts/)
  })

  test('a known_hosts file that cannot be read is no empty one', () => {
    const denied = {
      ...machine({}),
      readFile: (path: string) => {
        if (path.endsWith('known_hosts')) throw Object.assign(new Error('no'), { code: 'EACCES', path })
        return null
      },
    }
    expect(() => targetOf(readAddress('sftp://box/n'), OPTIONS, denied)).toThrow(
      '/home/ada/.ssh/known_hosts cannot be read (EACCES).',
    )
  })

  test('keys that cannot be used are named with the reason', () => {
    const files = { '/home/ada/.ssh/id_rsa': 'no key at all' }
    const { credentials } = targetOf(readAddress('sftp://box/n'), OPTIONS, machine(files, null))
    expect(credentials.tried).toEqual([
      'the key /home/ada/.ssh/id_rsa (is of no kind that is known here)',
      'the password',
    ])
  })
})
