import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ssh2 from 'ssh2'
import { fingerprintOf } from '../../src/storage/sftp/host_key.ts'
import { type OpenOptions, openSftpStorage } from '../../src/storage/sftp/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Bench } from './contract.ts'
import { type ServerOptions, sftpServer, TEST_HOST_KEY, type TestServer } from './sftp_server.ts'

export interface SftpBench extends Bench {
  readonly server: TestServer
  /** The vault's folder, on this machine and on the server. */
  readonly root: string
}

/** The fingerprint of the test server's key. */
export const TEST_FINGERPRINT = fingerprintOf(publicKeyOf(TEST_HOST_KEY))

/** A vault behind a server in this process. */
export async function sftpBench(
  files: Record<string, string>,
  server: ServerOptions = {},
  { address, ...options }: Partial<OpenOptions> & { readonly address?: string } = {},
): Promise<SftpBench> {
  const { top, root, outside } = await testVault(files)
  const running = await sftpServer(server)
  const storage = openTestStorage(address ?? `127.0.0.1:${running.port}`, root, options)
  return {
    server: running,
    root,
    storage,
    links: { outside, make: (target, path) => symlink(target, join(root, path)) },
    close: async () => {
      await storage.close()
      await running.close()
      await rm(top, { recursive: true })
    },
  }
}

/** A vault's folder and, beside it, one that is none of its business. */
export async function testVault(
  files: Record<string, string>,
): Promise<{ top: string; root: string; outside: string }> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'knap-sftp-')))
  const root = join(top, 'vault')
  const outside = join(top, 'vault-evil')
  await mkdir(root)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await mkdir(outside)
  await writeFile(join(outside, 'secret.md'), 'secret')
  return { top, root, outside }
}

function openTestStorage(address: string, root: string, options: Partial<OpenOptions>): Storage {
  return openSftpStorage(`sftp://me@${address}${root}`, {
    ...TEST_OPTIONS,
    timeoutMs: 5000,
    ...options,
  })
}

/** Nothing of the machine that runs the tests counts. */
const TEST_OPTIONS: Omit<OpenOptions, 'timeoutMs'> = {
  fingerprint: TEST_FINGERPRINT,
  knownHosts: [],
  configFile: '/nowhere/config',
  keyFile: null,
  passphrase: null,
  password: 'anything',
  machine: { home: '/nowhere', userName: 'nobody', agent: null, readFile: () => null },
}

function publicKeyOf(key: string): Buffer {
  const parsed = ssh2.utils.parseKey(key)
  if (parsed instanceof Error) throw parsed
  return (Array.isArray(parsed) ? parsed[0]! : parsed).getPublicSSH()
}
