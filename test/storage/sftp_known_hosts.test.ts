import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { fingerprintOf, judgeKey, keyTypes, type Trust } from '../../src/storage/sftp/host_key.ts'
import { judgeHostKey, parseKnownHosts } from '../../src/storage/sftp/known_hosts.ts'

const MINE = 'AAAAC3NzaC1lZDI1NTE5AAAAIMINE'
const OTHER = 'AAAAC3NzaC1lZDI1NTE5AAAAIOTHR'

function hashed(name: string): string {
  const salt = Buffer.from('0123456789abcdefghij')
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
}

const CASES: { lines: string; host?: string; port?: number; right: string }[] = [
  { lines: '', right: 'unknown' },
  { lines: `box ssh-ed25519 ${MINE} a comment`, right: 'known' },
  { lines: `BOX ssh-ed25519 ${MINE}`, right: 'known' },
  { lines: `other,box ssh-ed25519 ${MINE}`, right: 'known' },
  { lines: `box ssh-ed25519 ${OTHER}`, right: 'changed' },
  { lines: `box ssh-rsa ${OTHER}\nbox ssh-ed25519 ${MINE}`, right: 'known' },
  { lines: `# box ssh-ed25519 ${MINE}`, right: 'unknown' },
  { lines: `boxer ssh-ed25519 ${MINE}`, right: 'unknown' },
  { lines: `b?x ssh-ed25519 ${MINE}`, right: 'known' },
  { lines: `*.example ssh-ed25519 ${MINE}`, host: 'a.example', right: 'known' },
  { lines: `*.example,!a.example ssh-ed25519 ${MINE}`, host: 'a.example', right: 'unknown' },
  { lines: `${hashed('box')} ssh-ed25519 ${MINE}`, right: 'known' },
  { lines: `${hashed('box')} ssh-ed25519 ${OTHER}`, right: 'changed' },
  { lines: `${hashed('bax')} ssh-ed25519 ${MINE}`, right: 'unknown' },
  { lines: `[box]:2222 ssh-ed25519 ${MINE}`, port: 2222, right: 'known' },
  { lines: `${hashed('[box]:2222')} ssh-ed25519 ${MINE}`, port: 2222, right: 'known' },
  { lines: `[box]:2222 ssh-ed25519 ${MINE}`, right: 'unknown' },
  { lines: `box ssh-ed25519 ${MINE}`, port: 2222, right: 'known' },
  { lines: `box ssh-ed25519 ${OTHER}`, port: 2222, right: 'unknown' },
  { lines: `box ssh-ed25519 ${MINE}\n@revoked * ssh-ed25519 ${MINE}`, right: 'revoked' },
  { lines: `@revoked box ssh-ed25519 ${OTHER}\nbox ssh-ed25519 ${MINE}`, right: 'known' },
  { lines: `@cert-authority box ssh-ed25519 ${MINE}`, right: 'unknown' },
  { lines: `@something box ssh-ed25519 ${MINE}`, right: 'unknown' },
  { lines: 'box 1024 35 1234', right: 'unknown' },
  { lines: 'box ssh-ed25519', right: 'unknown' },
]

describe('known_hosts', () => {
  test.each(CASES)('$lines says of $host port $port: $right', ({ lines, host = 'box', port = 22, right }) => {
    expect(judgeHostKey(parseKnownHosts(lines, '/k'), { host, port, key: MINE }).is).toBe(right as 'known')
  })

  test('kinds that are known are asked for first, and SHA-1 never', () => {
    const known = parseKnownHosts(`box ssh-rsa ${OTHER}`, '/k')
    const types = keyTypes({ known, host: 'box', port: 22 })
    expect(types.slice(0, 2)).toEqual(['rsa-sha2-512', 'rsa-sha2-256'])
    expect(types).not.toContain('ssh-rsa')
  })
})

describe('a key that a server shows', () => {
  const name = Buffer.from('ssh-ed25519')
  const key = Buffer.concat([Buffer.from([0, 0, 0, name.length]), name, Buffer.from('rest of the key')])
  const base64 = key.toString('base64')
  const trust = (more: Partial<Trust>): Trust => ({
    host: 'box',
    port: 2222,
    fingerprint: null,
    known: [],
    file: '/home/ada/.ssh/known_hosts',
    ...more,
  })

  test('is refused where it is unknown, with its fingerprint and the line to add', () => {
    const refusal = judgeKey(trust({}), key)!
    expect(refusal.code).toBe('not_configured')
    expect(refusal.message).toContain(fingerprintOf(key))
    expect(refusal.hint).toContain(`echo '[box]:2222 ssh-ed25519 ${base64}' >> /home/ada/.ssh/known_hosts`)
    const known = parseKnownHosts(`[box]:2222 ssh-ed25519 ${base64}`, '/k')
    expect(judgeKey(trust({ known }), key)).toBeNull()
  })

  test('is refused where another one is known, with the line that has it', () => {
    const known = parseKnownHosts(`\n[box]:2222 ssh-ed25519 ${OTHER}`, '/k')
    const refusal = judgeKey(trust({ known }), key)!
    expect(refusal.message).toContain('line 2 of /k')
    expect(refusal.hint).toContain("ssh-keygen -R '[box]:2222' -f /k")
  })

  const PINS = [
    { pin: fingerprintOf(key), isRight: true },
    { pin: fingerprintOf(key).replace('SHA256:', ''), isRight: true },
    { pin: `${fingerprintOf(key)}=`, isRight: true },
    { pin: fingerprintOf(Buffer.from(name)), isRight: false },
    { pin: '', isRight: false },
  ]
  test.each(PINS)('is judged by the pin $pin alone', ({ pin, isRight }) => {
    const known = isRight ? [] : parseKnownHosts(`[box]:2222 ssh-ed25519 ${base64}`, '/k')
    expect(judgeKey(trust({ fingerprint: pin, known }), key) === null).toBe(isRight)
  })
})
