import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLogFile } from '../../src/cli/log_file.ts'
import { readService, writeService } from '../../src/cli/service.ts'
import { vaultFolders } from '../../src/config/places.ts'
import { Locks } from '../../src/vault/lock.ts'
import { isRunning, ownIdentity } from '../../src/vault/process_identity.ts'
import { COMMAND, temporaryVault } from '../e2e/clients.ts'

setDefaultTimeout(60_000)
const vault = temporaryVault({ 'a.md': '# A\n', 'b.md': '# B\n' })
const other = temporaryVault({ 'c.md': '# C\n' })
const folder = mkdtempSync(join(tmpdir(), 'knap-service-'))
afterEach(async () => {
  await knap(['stop', vault.dir])
  await knap(['stop', other.dir])
})
afterAll(() => {
  vault.remove()
  other.remove()
  rmSync(folder, { recursive: true, force: true })
})

async function knap(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...COMMAND, ...args], {
    env: { ...vault.env, OBSIDIAN_EMBEDDINGS: 'false', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { out, err, code: await child.exited }
}

interface Started {
  readonly url: string
  readonly pid: number
  readonly log: string
}

async function serve(dir = vault.dir): Promise<Started> {
  const { out, err, code } = await knap(['serve', '--port', '0', '--json', dir])
  expect([code, err.replaceAll(/^.* (?:info|warn) .*\n/gm, '')]).toEqual([0, ''])
  return JSON.parse(out)
}

const health = async (url: string) =>
  (await fetch(new URL('/health', url))).json() as Promise<Record<string, unknown>>
const stateFile = () => join(vault.root, 'data/data/services')
/** False too for what has ended and whose parent has not asked how yet. */
const isAlive = (pid: number) => isRunning({ ...ownIdentity(), pid, start: null }) !== 'gone'

describe('a server in the background', () => {
  test('answers when serve returns, is listed, restarted as it was, and ends when it is told to', async () => {
    const { url, pid, log } = await serve()
    expect(await health(url)).toMatchObject({ status: 'ok', notes: 2 })
    expect(readFileSync(log, 'utf8')).toContain('listening on')
    const status = JSON.parse((await knap(['status', '--json'])).out)
    expect(status.services).toEqual([expect.objectContaining({ url, pid, state: 'running', notes: 2 })])
    const again = await knap(['serve', vault.dir])
    expect([again.code, again.err.includes('served already')]).toEqual([1, true])
    const restarted = JSON.parse((await knap(['restart', '--json'])).out)
    expect([isAlive(pid), isAlive(restarted.pid)]).toEqual([false, true])
    expect(await health(restarted.url)).toMatchObject({ status: 'ok' })
    expect((await knap(['stop'])).code).toBe(0)
    expect(isAlive(restarted.pid)).toBe(false)
    const none = await knap(['status'])
    expect([none.code, none.out]).toEqual([3, 'Nothing runs in the background.\n'])
  })

  test('over https, whatever host its certificate names, at every address', async () => {
    const pem = (name: string) => join(import.meta.dir, '../fixtures/tls', `${name}.pem`)
    const tls = ['--tls-cert', pem('cert'), '--tls-key', pem('key'), '--host', '0.0.0.0']
    const env = { OBSIDIAN_HTTP_TOKEN: 'correct-horse' }
    const { out, code } = await knap(['serve', '--port', '0', '--json', ...tls, vault.dir], env)
    expect([code, JSON.parse(out).url]).toEqual([0, expect.stringMatching(/^https:/)])
    const { services } = JSON.parse((await knap(['status', '--json'])).out)
    expect(services).toEqual([expect.objectContaining({ state: 'running', notes: 2 })])
    expect((await knap(['stop'])).code).toBe(0)
  })

  test('of two the one that is meant is ended; without a word which, none', async () => {
    const one = await serve()
    const two = await serve(other.dir)
    const unclear = await knap(['stop'])
    expect([unclear.code, unclear.err.includes('Several run')]).toEqual([1, true])
    expect((await knap(['stop', other.dir])).code).toBe(0)
    expect([isAlive(one.pid), isAlive(two.pid)]).toEqual([true, false])
  })

  test('a killed one is forgotten, and another process under its number is left alone', async () => {
    const { pid } = await serve()
    process.kill(pid, 'SIGKILL')
    const [name] = readdirSync(stateFile())
    const file = join(stateFile(), name as string)
    const known = readService(file)
    expect(known?.process.pid).toBe(pid)
    const stranger = Bun.spawn(['sleep', '60'])
    writeService(file, { ...known!, process: { ...known!.process, pid: stranger.pid } })
    const stopped = await knap(['stop', vault.dir])
    expect([stopped.code, stopped.err.includes('No server of ours')]).toEqual([1, true])
    expect(isAlive(stranger.pid)).toBe(true)
    stranger.kill()
    expect(existsSync(file)).toBe(false)
  })

  test('one that cannot start says why', async () => {
    const { code, err } = await knap(['serve', join(vault.root, 'nowhere')])
    expect([code, err]).toEqual([1, expect.stringContaining('does not exist')])
    expect((await knap(['serve'])).code).toBe(2)
  })
})

test('a log file begins anew when it is full, and three earlier ones are kept', () => {
  const file = join(folder, 'deep/x.log')
  const write = openLogFile(file, 20)
  for (let i = 0; i < 12; i++) write(`line ${i} of twelve\n`)
  expect(readdirSync(join(folder, 'deep')).sort()).toEqual(['x.log', 'x.log.1', 'x.log.2', 'x.log.3'])
  expect(readFileSync(file, 'utf8')).toContain('line 11')
  expect(statSync(`${file}.3`).size).toBeGreaterThan(0)
})

test('what is kept is shown, pruned, and removed when it is asked for', async () => {
  const kept = temporaryVault({ 'a.md': 'text\n' })
  const env = { ...kept.env, OBSIDIAN_EMBEDDINGS: 'false' }
  const run = async (...args: string[]) => {
    const child = Bun.spawn([...COMMAND, ...args, '--vault', kept.dir], {
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    return { out: await child.stdout.text(), code: await child.exited }
  }
  mkdirSync(join(kept.root, 'data'), { recursive: true })
  await run('index')
  const shown = JSON.parse((await run('data', '--json')).out)
  expect(shown.vaults[0].cache.bytes).toBeGreaterThan(0)
  expect((await run('data', 'prune')).code).toBe(0)
  expect((await run('data', 'remove')).out).toContain('Nothing was removed')
  expect(existsSync(shown.vaults[0].cache.folder)).toBe(true)
  expect((await run('data', 'remove', '--yes')).code).toBe(0)
  expect(existsSync(shown.vaults[0].cache.folder)).toBe(false)
  expect(readFileSync(kept.path('a.md'), 'utf8')).toBe('text\n')
  kept.remove()
})

test('read prints a note as it stands, a section, lines, or JSON', async () => {
  writeFileSync(vault.path('r.md'), '# R\r\n\r\none\r\n\r\n## S\r\n\r\ntwo\r\n')
  expect((await knap(['read', 'r', vault.dir])).out).toBe('# R\r\n\r\none\r\n\r\n## S\r\n\r\ntwo\r\n')
  expect((await knap(['read', 'r', '--section', 'S', vault.dir])).out).toBe('## S\r\n\r\ntwo\r\n')
  expect((await knap(['read', 'r', '--lines', '3', vault.dir])).out).toBe('one\r\n')
  expect(JSON.parse((await knap(['read', 'r', '--json', vault.dir])).out).path).toBe('r.md')
  const missing = await knap(['read', 'nothing', vault.dir])
  expect([missing.code, missing.out, missing.err.includes('nothing')]).toEqual([1, '', true])
})

test('doctor names what is well and what is not', async () => {
  const { out, code } = await knap(['doctor', vault.dir])
  expect([code, out.includes('ok    runtime: Bun'), out.includes('notes in')]).toEqual([0, true, true])
  const bad = await knap(['doctor', '--json', join(vault.root, 'nowhere')])
  const { findings } = JSON.parse(bad.out)
  expect(bad.code).toBe(1)
  expect(findings).toContainEqual(expect.objectContaining({ state: 'fail', says: 'It does not exist.' }))
})

test('doctor names who holds a lock', async () => {
  const { out } = await knap(['doctor', vault.dir])
  expect(out).toContain('ok    locks: No change is under way.')
  const dataDir = JSON.parse((await knap(['config', '--json', vault.dir])).out).settings.data_dir.value
  const { data } = vaultFolders({ dataDir, cacheDir: '' }, realpathSync(vault.dir))
  const locks = new Locks({ folder: join(data, 'locks') })
  await locks.hold(['a.md'], async () => {
    const held = (await knap(['doctor', vault.dir])).out
    expect(held).toContain(
      `warn  locks: A change by process ${process.pid} is under way.\n      If it stays so`,
    )
  })
  locks.close()
})

test.each([
  [['completions', 'tcsh'], 'bash'],
  [['setup', 'nothing'], 'knap setup'],
  [['model', 'pull', 'nothing'], 'nothing'],
])('%j is a wrong argument: 2', async (args, says) => {
  const { code, err } = await knap(args)
  expect([code, err.includes(says) || err]).toEqual([2, true])
})

test.each([
  ['speaks no HTTP', true, 'warn'],
  ['is gone', false, 'ok'],
])('a port whose listener %s', async (_what, listens, state) => {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.end() },
  })
  if (!listens) listener.stop(true)
  const { out } = await knap(['doctor', '--json', '--port', String(listener.port), vault.dir])
  listener.stop(true)
  expect(JSON.parse(out).findings).toContainEqual(expect.objectContaining({ what: 'port', state }))
})

test.each(['bash', 'zsh', 'fish'])('completions for %s name commands and flags', async (shell) => {
  const { out, code } = await knap(['completions', shell])
  expect([code, out.includes('serve'), out.includes('read-only')]).toEqual([0, true, true])
  if (shell !== 'fish') expect(Bun.spawnSync(['bash', '-n'], { stdin: Buffer.from(out) }).exitCode).toBe(0)
})
