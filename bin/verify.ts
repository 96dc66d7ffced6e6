import { install, ROOT } from './project.ts'

/** Installs, runs every test, and prints the totals as its last line. */

await install()
// For one test (ms), where it sets none of its own: long enough for a machine that is busy with other things.
const TIMEOUT = '30000'
const tests = Bun.spawn(
  [
    process.execPath,
    '--no-env-file',
    '--no-install',
    'test',
    `--timeout=${TIMEOUT}`,
    ...process.argv.slice(2),
  ],
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
  },
)
const summary = await passedOn(tests.stderr)
const code = await tests.exited
const passed = total(summary, 'pass')
const failed = Math.max(total(summary, 'fail'), code === 0 ? 0 : 1)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

/** Writes the runner's output on as it comes. @returns its end, where the totals stand */
async function passedOn(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let end = ''
  for await (const bytes of output) {
    process.stderr.write(bytes)
    end = (end + decoder.decode(bytes, { stream: true })).slice(-4000)
  }
  return end
}

/** ` 12 pass` → 12; the last such line counts, since a test may print one too. */
function total(summary: string, word: 'pass' | 'fail'): number {
  const lines = summary.match(new RegExp(`^\\s*\\d+ ${word}\\s*$`, 'gm'))
  return Number.parseInt(lines?.at(-1)?.trim() ?? '0', 10)
}
