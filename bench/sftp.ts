import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openSftpStorage } from '../src/storage/sftp/open.ts'
import { openRemoteRules } from '../src/vault/remote_rules.ts'
import { searchNotes } from '../src/vault/search_notes.ts'
import { Vault } from '../src/vault/vault.ts'
import { findSshd, type Sshd, startSshd } from '../test/storage/sshd.ts'

/**
 * A vault behind OpenSSH on this machine, with a way there and back of 20 ms: the first index beside OpenSSH's own
 * client fetching the same files, an idle look, a later start, and single calls.
 * `bun bench/sftp.ts [--notes 1000] [--round-trip 20] [--no-client]`
 */

if (process.argv[2] === '__proxy') await runProxy(Number(process.argv[3]), Number(process.argv[4]))
else await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      notes: { type: 'string', default: '1000' },
      'round-trip': { type: 'string', default: '20' },
      'no-client': { type: 'boolean', default: false },
    },
  })
  const found = findSshd()
  if ('reason' in found) throw new Error(found.reason)
  const sshd = await startSshd(found.sshd)
  const top = mkdtempSync(join(tmpdir(), 'knap-bench-sftp-'))
  const proxy = await startProxy(sshd.port, Number(values['round-trip']) / 2)
  const key = sshd.key('ed25519')
  try {
    const root = join(top, 'vault')
    const megabytes = makeVault(root, Number(values.notes))
    console.log(
      `${values.notes} notes, ${megabytes.toFixed(1)} MB, ${values['round-trip']} ms there and back\n`,
    )
    const rows: [string, number][] = []
    const time = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const start = performance.now()
      const result = await work()
      rows.push([what, performance.now() - start])
      return result
    }
    if (!values['no-client'])
      await time("OpenSSH's client fetches all files", () =>
        fetchAll({ sshd, port: proxy.port, key, root, to: join(top, 'got') }),
      )
    const open = () => openVault({ sshd, port: proxy.port, key, root, data: join(top, 'data') })
    const first = await time('first complete index', async () => {
      const vault = await open()
      await vault.built()
      return vault
    })
    await time('idle look', () => first.sync.look())
    await time('comparison of all contents', () => first.sync.verify())
    await time('note_read of a note', () => first.read('folder0/note0.md'))
    await time('a change', () =>
      first.storage.write('folder0/note0.md', new TextEncoder().encode('changed'), {
        mode: 'replace',
        check: () => {},
      }),
    )
    await first.close()
    const second = await time('later start, to the first answer of a search', async () => {
      const vault = await open()
      await vault.searchable()
      const { hits } = await searchNotes(vault, { query: 'word77', limit: 10 })
      if (hits.length === 0) throw new Error('nothing was found')
      return vault
    })
    await time('later start, until it has looked at everything', () => second.built())
    await second.close()
    for (const [what, ms] of rows) console.log(`${what.padEnd(50)} ${ms.toFixed(0).padStart(8)} ms`)
  } finally {
    proxy.stop()
    await sshd.stop()
    rmSync(top, { recursive: true })
  }
  process.exit(0)
}

/** Notes of about 2 KB in folders of 50. @returns megabytes */
function makeVault(root: string, notes: number): number {
  let bytes = 0
  for (let i = 0; i < notes; i++) {
    const folder = join(root, `folder${Math.floor(i / 50)}`)
    if (i % 50 === 0) mkdirSync(folder, { recursive: true })
    const words = Array.from({ length: 300 }, (_, k) => `word${(i * 31 + k * 17) % 5000}`)
    const text = `# Note ${i}\n\n${words.join(' ')}\n\n[[note${(i + 1) % notes}]]\n`
    writeFileSync(join(folder, `note${i}.md`), text)
    bytes += text.length
  }
  return bytes / 1e6
}

interface Place {
  readonly sshd: Sshd
  readonly port: number
  readonly key: string
  readonly root: string
}

async function fetchAll({ sshd, port, key, root, to }: Place & { to: string }): Promise<void> {
  const known = join(sshd.dir, 'known')
  writeFileSync(known, sshd.hostKeys.map(({ line }) => line.replace(/:\d+ /, `:${port} `)).join('\n'))
  const options = ['-q', '-r', '-P', String(port), '-i', key, '-o', `UserKnownHostsFile=${known}`]
  const child = Bun.spawn(['sftp', ...options, `${sshd.user}@127.0.0.1:${root}`, to], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error('sftp failed')
}

async function openVault({ sshd, port, key, root, data }: Place & { data: string }): Promise<Vault> {
  const known = join(sshd.dir, 'known_bench')
  writeFileSync(known, sshd.hostKeys.map(({ line }) => line.replace(/:\d+ /, `:${port} `)).join('\n'))
  const remote = openSftpStorage(`sftp://${sshd.user}@127.0.0.1:${port}${root}`, {
    timeoutMs: 30_000,
    fingerprint: null,
    knownHosts: [known],
    configFile: join(sshd.dir, 'none'),
    keyFile: key,
    passphrase: null,
    password: null,
    machine: {
      home: sshd.dir,
      userName: sshd.user,
      agent: null,
      readFile: (path) => (path === known || path === key ? readFileSync(path, 'utf8') : null),
    },
  })
  const { rules, patterns, storage } = await openRemoteRules(remote, data, {})
  return Vault.open({
    name: 'bench',
    storage,
    root: null,
    rules,
    excludePatterns: patterns,
    dataDir: data,
    cacheDir: data,
    watch: false,
    allowHidden: false,
    locale: 'en',
    timezone: 'UTC',
    poll: { everyMs: null, verifyEveryMs: null },
  })
}

/** In a process of its own, so that what is measured does not wait for it. */
async function startProxy(to: number, delayMs: number): Promise<{ port: number; stop: () => void }> {
  const child = Bun.spawn([process.execPath, import.meta.path, '__proxy', String(to), String(delayMs)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  for await (const chunk of child.stdout) {
    return { port: Number(new TextDecoder().decode(chunk)), stop: () => child.kill() }
  }
  throw new Error('the proxy ended')
}

/** Hands everything on after so many milliseconds, in order, however much there is. */
async function runProxy(to: number, delayMs: number): Promise<void> {
  const pass = (from: Socket, into: Socket) => {
    from.setNoDelay(true)
    from.on('data', (chunk) => setTimeout(() => into.write(chunk), delayMs))
    from.on('close', () => setTimeout(() => into.destroy(), delayMs))
    from.on('error', () => into.destroy())
  }
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port))
  await new Promise(() => {})
}
