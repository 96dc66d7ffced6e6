import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { isRunning, ownIdentity } from '../../src/vault/process_identity.ts'

const isLinux = process.platform === 'linux'

test.each([
  ['this process', {}, 'running'],
  ['its number, given to another one since', { start: '1' }, isLinux ? 'gone' : 'unknown'],
  ['a process of another machine', { host: 'elsewhere' }, 'unknown'],
  ['a number that nobody has', { pid: 2 ** 30 }, 'gone'],
])('%s', (_, change, state) => {
  const own = ownIdentity()
  const expected = state === 'running' && !isLinux ? 'unknown' : state
  expect(isRunning({ ...own, ...change }) as string).toBe(expected)
})

test.if(isLinux)('a process that has ended is gone, even if its parent never asks how', async () => {
  // The shell becomes a program that asks for no exit code; only then its child is ended.
  const parent = Bun.spawn(['sh', '-c', 'sleep 600 & echo $!; exec cat'], { stdin: 'pipe', stdout: 'pipe' })
  try {
    const said = await parent.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(said.value))
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'cat\n') await Bun.sleep(1)
    process.kill(pid)
    while (fieldsOf(pid)[0] !== 'Z') await Bun.sleep(1)
    expect(isRunning({ ...ownIdentity(), pid, start: fieldsOf(pid)[19] as string })).toBe('gone')
  } finally {
    parent.kill()
  }
})

function fieldsOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
