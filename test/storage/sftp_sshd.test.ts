import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenOptions, openSftpStorage } from '../../src/storage/sftp/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { codeOf, storageContract } from './contract.ts'
import { testVault } from './sftp_bench.ts'
import { findSshd, type Sshd, startSshd } from './sshd.ts'

const ready = await start()

/** OpenSSH's server with a key that it lets in, or why there is none: a locked account of this user, for example. */
async function start(): Promise<{ sshd: Sshd; key: string } | { reason: string }> {
  const found = findSshd()
  if ('reason' in found) return found
  let sshd: Sshd | undefined
  try {
    sshd = await startSshd(found.sshd)
    const key = sshd.key('ed25519')
    const lines = sshd.hostKeys.map(({ line }) => line)
    const storage = openSftpStorage(`sftp://${sshd.user}@127.0.0.1:${sshd.port}/`, {
      timeoutMs: 10_000,
      fingerprint: null,
      knownHosts: [knownHosts(sshd, 'probe', lines)],
      configFile: '/nowhere',
      keyFile: key,
      passphrase: null,
      password: null,
      machine: { home: sshd.dir, userName: sshd.user, agent: null, readFile: textOf },
    })
    await storage.stat('').finally(() => storage.close())
    return { sshd, key }
  } catch (error) {
    await sshd?.stop()
    return { reason: `sshd does not serve this user (${(error as Error).message})` }
  }
}

if ('reason' in ready) {
  test(`OpenSSH's server is left out: ${ready.reason}`, () => {
    console.warn(`sftp against OpenSSH is left out: ${ready.reason}; the server in this process stands in`)
  })
} else {
  const { sshd, key } = ready
  afterAll(() => sshd.stop())

  const options = (more: Partial<OpenOptions> = {}): OpenOptions => ({
    timeoutMs: 10_000,
    fingerprint: null,
    knownHosts: [
      knownHosts(
        sshd,
        'all',
        sshd.hostKeys.map(({ line }) => line),
      ),
    ],
    configFile: join(sshd.dir, 'no-config'),
    keyFile: key,
    passphrase: null,
    password: null,
    ...more,
    machine: { home: sshd.dir, userName: sshd.user, agent: null, readFile: textOf, ...more.machine },
  })
  const open = (root: string, more: Partial<OpenOptions> = {}, host = `127.0.0.1:${sshd.port}`): Storage =>
    openSftpStorage(`sftp://${sshd.user}@${host}${root}`, options(more))
  const stat = async (more: Partial<OpenOptions>, host?: string) => {
    const storage = open('/', more, host)
    try {
      return await storage.stat('')
    } finally {
      await storage.close()
    }
  }

  storageContract({
    name: 'sftp on OpenSSH',
    hasLinks: true,
    open: async (files) => {
      const { top, root, outside } = await testVault(files)
      const storage = open(root)
      return {
        storage,
        links: { outside, make: async (target, path) => symlinkSync(target, join(root, path)) },
        close: async () => {
          await storage.close()
          rmSync(top, { recursive: true })
        },
      }
    },
  })

  describe('OpenSSH', () => {
    test('the mode of a note stays', async () => {
      const { top, root } = await testVault({ 'a.md': 'A' })
      const storage = open(root)
      Bun.spawnSync(['chmod', '640', join(root, 'a.md')])
      await storage.write('a.md', new TextEncoder().encode('B'), { mode: 'replace', check: () => {} })
      expect(statSync(join(root, 'a.md')).mode & 0o777).toBe(0o640)
      await storage.close()
      rmSync(top, { recursive: true })
    })

    const KINDS = ['ed25519', 'ecdsa', 'rsa'] as const
    test.each(KINDS)('lets a key of the kind %s in, plain and with a passphrase', async (kind) => {
      expect(await stat({ keyFile: sshd.key(kind) })).toMatchObject({ kind: 'folder' })
      const locked = sshd.key(kind, 'a phrase')
      expect(await stat({ keyFile: locked, passphrase: 'a phrase' })).toMatchObject({ kind: 'folder' })
      expect(await codeOf(stat({ keyFile: locked }))).toBe('not_configured')
      expect(await codeOf(stat({ keyFile: locked, passphrase: 'another' }))).toBe('not_configured')
    })

    test.each(sshd.hostKeys.map(({ type, line }) => [type, line] as const))(
      'shows the host key of the kind that is known: %s',
      async (type, line) => {
        expect(await stat({ knownHosts: [knownHosts(sshd, type, [line])] })).toMatchObject({ kind: 'folder' })
      },
    )

    test('lets in who an agent vouches for', async () => {
      const agent = await startAgent(sshd)
      try {
        const machine = { home: sshd.dir, userName: sshd.user, agent: agent.socket, readFile: textOf }
        expect(await stat({ keyFile: null, machine })).toMatchObject({ kind: 'folder' })
      } finally {
        agent.stop()
      }
    })

    test('does not let in whose key it does not know, and the message says what was tried', async () => {
      const stranger = join(sshd.dir, 'stranger')
      Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', stranger])
      const failure = await stat({ keyFile: stranger }).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'not_configured' })
      expect(String(failure)).toContain(`does not let ${sshd.user} in. Tried: the key ${stranger}`)
    })

    test('is found under the alias of the SSH settings, with user, port and key from there', async () => {
      const config = join(sshd.dir, 'config')
      writeFileSync(
        config,
        `Host box\n  HostName 127.0.0.1\n  Port ${sshd.port}\n  User ${sshd.user}\n  IdentityFile ${key}\n`,
      )
      const storage = openSftpStorage('sftp://box/', options({ keyFile: null, configFile: config }))
      expect(await storage.stat('')).toMatchObject({ kind: 'folder' })
      expect(storage.id).toBe(`sftp://${sshd.user}@127.0.0.1:${sshd.port}/`)
      await storage.close()
    })

    test('is reached through another host', async () => {
      const config = join(sshd.dir, 'config_jump')
      const direct = `HostName 127.0.0.1\n  Port ${sshd.port}\n  User ${sshd.user}\n  IdentityFile ${key}\n`
      writeFileSync(config, `Host far\n  ${direct}  ProxyJump near\nHost near\n  ${direct}`)
      const storage = openSftpStorage('sftp://far/', options({ keyFile: null, configFile: config }))
      expect(await storage.stat('')).toMatchObject({ kind: 'folder' })
      await storage.close()
    })
  })
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function knownHosts({ dir }: Sshd, name: string, lines: readonly string[]): string {
  const file = join(dir, `known_${name}`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

/** An agent that holds a key of its own which the server lets in; the key's file is gone. */
async function startAgent(sshd: Sshd): Promise<{ socket: string; stop: () => void }> {
  const socket = join(sshd.dir, 'agent')
  const child = Bun.spawn(['ssh-agent', '-D', '-a', socket], { stdout: 'ignore', stderr: 'ignore' })
  const file = sshd.key('ed25519')
  for (let i = 0; i < 100; i++) {
    const { exitCode } = Bun.spawnSync(['ssh-add', file], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
    if (exitCode === 0) break
    await Bun.sleep(20)
  }
  rmSync(file)
  return { socket, stop: () => child.kill() }
}
