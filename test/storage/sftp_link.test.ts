import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { configureLog } from '../../src/logger.ts'
import { codeOf } from './contract.ts'
import { type SftpBench, sftpBench } from './sftp_bench.ts'

configureLog({ level: 'error' })

let bench: SftpBench | undefined
let silent: Server | undefined
afterEach(async () => {
  await bench?.close()
  silent?.close()
  bench = undefined
  silent = undefined
})

describe('the connection of a remote vault', () => {
  test('is made when something is first asked for, and says how it stands', async () => {
    bench = await sftpBench({ 'a.md': 'A' })
    const state = () => bench!.storage.connection!()
    expect(state()).toEqual({ state: 'connecting', lastError: null })
    await bench.storage.stat('a.md')
    expect(state()).toEqual({ state: 'connected', lastError: null })
    bench.server.cut()
    for (let i = 0; i < 200 && state().state === 'connected'; i++) await Bun.sleep(5)
    expect(state()).toEqual({
      state: 'reconnecting',
      lastError: expect.stringContaining('was lost') as never,
    })
    await bench.storage.stat('a.md')
    expect(state()).toEqual({ state: 'connected', lastError: null })
    await bench.storage.close()
    expect(state().state).toBe('closed')
    expect(await codeOf(bench.storage.stat('a.md'))).toBe('unavailable')
  })

  test('of many calls at once is one', async () => {
    let logins = 0
    bench = await sftpBench({ 'a.md': 'A' }, { login: ({ method }) => method === 'password' && ++logins > 0 })
    await Promise.all(Array.from({ length: 50 }, () => bench!.storage.stat('a.md')))
    expect(logins).toBe(1)
  })

  test('that has just failed is not tried again by each call', async () => {
    let tries = 0
    bench = await sftpBench({ 'a.md': 'A' }, { login: ({ method }) => method === 'password' && ++tries < 0 })
    for (let i = 0; i < 20; i++) expect(await codeOf(bench.storage.stat('a.md'))).toBe('not_configured')
    expect(tries).toBe(1)
  })

  test('to a server that says nothing times out, and closing does not wait for it', async () => {
    silent = createServer(() => {})
    await new Promise<void>((resolve) => silent!.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    bench = await sftpBench({}, {}, { timeoutMs: 200, address: `127.0.0.1:${port}` })
    expect(await codeOf(bench.storage.stat(''))).toBe('timeout')
    const slow = await sftpBench({}, {}, { timeoutMs: 60_000, address: `127.0.0.1:${port}` })
    const asked = codeOf(slow.storage.stat(''))
    await Bun.sleep(5)
    await slow.close()
    expect(await asked).toBe('unavailable')
  })
})
