import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))
const SUITE = join(dirname(PACKAGE), 'dist/index.js')

/** Runs the public conformance suite against a server. @returns the checks that passed and failed, by scenario */
export async function runConformance(url: string): Promise<Map<string, { passed: number; failed: number }>> {
  const child = Bun.spawn([process.execPath, SUITE, 'server', '--url', url, '--suite', 'all'], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const [text] = await Promise.all([new Response(child.stdout).text(), child.exited])
  const lines = text.matchAll(/^\S+ ([a-z0-9-]+): (\d+) passed, (\d+) failed/gm)
  return new Map(
    [...lines].map(([, name, passed, failed]) => [
      name as string,
      { passed: Number(passed), failed: Number(failed) },
    ]),
  )
}
