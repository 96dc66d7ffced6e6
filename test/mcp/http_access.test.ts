import { describe, expect, test } from 'bun:test'
import { AccessGate, type AccessOptions } from '../../src/mcp/http_access.ts'

const LOCAL: AccessOptions = { host: '127.0.0.1', token: null, allowedHosts: [], allowedOrigins: [] }
const asking = { address: '10.0.0.1', isOpen: false }

function request(headers: Record<string, string>, url = 'http://127.0.0.1:1/mcp'): Request {
  return new Request(url, { headers: { host: '127.0.0.1:1', ...headers } })
}

describe('host names and origins', () => {
  const cases: { options: Partial<AccessOptions>; headers: Record<string, string>; status: number | null }[] =
    [
      { options: {}, headers: {}, status: null },
      { options: {}, headers: { host: '[::1]:5' }, status: null },
      { options: {}, headers: { host: 'LOCALHOST' }, status: null },
      { options: {}, headers: { host: 'notes.example' }, status: 403 },
      { options: { allowedHosts: ['notes.example'] }, headers: { host: 'Notes.Example:8443' }, status: null },
      { options: { host: '192.168.1.5' }, headers: { host: '192.168.1.5:1' }, status: null },
      { options: { host: 'fe80::1' }, headers: { host: '[fe80::1]:1' }, status: null },
      { options: {}, headers: { origin: 'https://a.example' }, status: 403 },
      {
        options: { allowedOrigins: ['https://a.example'] },
        headers: { origin: 'https://a.example' },
        status: null,
      },
      {
        options: { allowedOrigins: ['https://a.example'] },
        headers: { origin: 'https://a.example.evil' },
        status: 403,
      },
      { options: {}, headers: { origin: 'file://localhost' }, status: 403 },
    ]
  test.each(cases)('$options $headers: $status', ({ options, headers, status }) => {
    const gate = new AccessGate({ ...LOCAL, ...options })
    expect(gate.refusal(request(headers), asking)?.status ?? null).toBe(status)
  })
})

describe('the token', () => {
  const guarded = { ...LOCAL, token: 'correct-horse' }
  const cases: { authorization?: string; status: number | null; challenge?: string }[] = [
    { status: 401, challenge: 'Bearer' },
    { authorization: 'Bearer correct-horse', status: null },
    { authorization: 'bearer correct-horse', status: null },
    { authorization: 'Bearer correct-hors', status: 401, challenge: 'Bearer error="invalid_token"' },
    { authorization: 'Basic correct-horse', status: 401, challenge: 'Bearer' },
    { authorization: 'correct-horse', status: 401, challenge: 'Bearer' },
  ]
  test.each(cases)('$authorization is $status', ({ authorization, status, challenge }) => {
    const refused = new AccessGate(guarded).refusal(request(authorization ? { authorization } : {}), asking)
    expect(refused?.status ?? null).toBe(status)
    expect(refused?.headers.get('www-authenticate') ?? undefined).toBe(challenge as string)
  })

  test('in the address it counts for nothing', () => {
    const given = request({}, 'http://127.0.0.1:1/mcp?access_token=correct-horse')
    expect(new AccessGate(guarded).refusal(given, asking)?.status).toBe(401)
  })

  test('who guesses is not looked at any more, others are', () => {
    const gate = new AccessGate(guarded)
    const ask = (token: string, address: string) =>
      gate.refusal(request({ authorization: `Bearer ${token}` }), { address, isOpen: false })?.status ?? null
    const guesses = Array.from({ length: 20 }, (_, i) => ask(`guess-${i}`, '10.0.0.1'))
    expect([guesses[0], guesses[9], guesses[10], guesses[19]]).toEqual([401, 401, 429, 429])
    expect(ask('correct-horse', '10.0.0.1')).toBe(429)
    expect(ask('correct-horse', '10.0.0.2')).toBe(null)
  })

  test('where it comes from is told only where an issuer is set', async () => {
    expect(new AccessGate(guarded).metadata(request({}))).toBe(null)
    const gate = new AccessGate({ ...guarded, issuer: 'https://issuer.example' })
    expect(await gate.metadata(request({}))?.json()).toEqual({
      resource: 'http://127.0.0.1:1/mcp',
      authorization_servers: ['https://issuer.example'],
      bearer_methods_supported: ['header'],
    })
    expect(gate.refusal(request({}), asking)?.headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource"',
    )
  })
})
