import { commandNamed, RUN } from './cli/commands.ts'
import { hintOf, inputsOf } from './engine/circumstances.ts'
import { claimName, LASTING } from './engine/find.ts'
import { helloOf } from './engine/greeting.ts'
import { dial, Link } from './engine/link.ts'
import { readHint, socketFolder, socketPath } from './engine/place.ts'
import { configureLog, log } from './logger.ts'
import type { Joined } from './shared_engine.ts'

/** How long (ms) another start with the same inputs may take until it can be joined. */
const PATIENCE_MS = 5000
const PAUSE_MS = 10

/**
 * Runs the program. A client whose engine runs already is served by that, and nothing else is loaded: neither settings
 * nor tools. Everybody else goes the long way.
 * @returns the exit code
 */
export async function start(argv: readonly string[]): Promise<number> {
  const quick = mayJoin(argv, process.env) ? await joinQuickly(argv) : null
  if (quick !== null && 'link' in quick) {
    const { logLevel, warnings } = quick.link.welcome
    configureLog({ level: logLevel })
    for (const warning of warnings) log.warn(warning)
    return await join(quick)
  }
  const { run } = await import('./program.ts')
  return await run(argv, { settled: quick?.endTurn ?? (() => {}), join })
}

async function join(joined: Joined): Promise<number> {
  const { serveJoined } = await import('./joined.ts')
  return await serveJoined(joined)
}

/** Is this a start on standard input and output, as far as can be told before any setting is read? */
function mayJoin(argv: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const [first = ''] = argv
  const isOther = commandNamed(first) !== undefined && first !== RUN
  if (isOther || argv.some((word) => NOT_JOINED.test(word))) return false
  return !env.OBSIDIAN_STANDALONE && (env.OBSIDIAN_TRANSPORT || 'stdio') === 'stdio'
}

const NOT_JOINED = /^(--http|--standalone|--transport(=.*)?|--help|-h|--version|-V)$/

type Quick =
  | Joined
  /** It is this start's turn to find or make an engine; the others wait until it says that it is done. */
  | { readonly endTurn: () => void }

/** Of many starts with the same inputs at once one goes the long way, and the others wait for what it finds. */
async function joinQuickly(argv: readonly string[]): Promise<Quick | null> {
  const folder = socketFolder({ env: process.env })
  if (folder === null) return null
  const hello = helloOf(inputsOf(argv, process.env, process.cwd()), process.env)
  const hint = hintOf(hello.inputs)
  const until = Date.now() + PATIENCE_MS
  while (Date.now() < until) {
    const key = readHint(folder, hint)
    for (const name of key === null ? [] : [key + LASTING, key]) {
      const link = await dial(socketPath(folder, name), hello)
      if (link instanceof Link) return { link, folder, hello }
      if (link !== 'absent') return null
    }
    const locks = await claimName(folder, `start-${hint}`)
    if (locks !== null) return { endTurn: () => locks.close() }
    await Bun.sleep(PAUSE_MS + Math.random() * PAUSE_MS)
  }
  return null
}
