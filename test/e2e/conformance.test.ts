import { expect, setDefaultTimeout, test } from 'bun:test'
import { startFixtureServer } from '../fixtures/conformance/server.ts'
import { runConformance } from './conformance.ts'

setDefaultTimeout(60_000)

test('every scenario of the public suite passes on our transport, against what it calls by name', async () => {
  const server = startFixtureServer()
  try {
    const results = await runConformance(server.url)
    expect(results.size).toBeGreaterThanOrEqual(32)
    expect([...results].filter(([, { failed }]) => failed > 0)).toEqual([])
  } finally {
    await server.close()
  }
})
