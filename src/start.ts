import { hintOf, inputsOf } from './engine/circumstances.ts'
import { claimName, isNameTaken } from './engine/find.ts'
import { helloOf } from './engine/greeting.ts'
import { dial, Link } from './engine/link.ts'
import { LASTING, readHint, socketFolder, socketPath } from './engine/place.ts'
import { configureLog, log } from './logger.ts'
import type { Joined } from './shared_engine.ts'

/** How long (ms) another start with the same inputs may take until it can be joined. */
const PATIENCE_MS = 5000
const LOOK_ONLY_MS = 1500
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
  if (OTHER_COMMAND.test(argv[0] ?? '') || argv.some((word) => NOT_JOINED.test(word))) return false
  return !env.OBSIDIAN_STANDALONE && (env.OBSIDIAN_TRANSPORT || 'stdio') === 'stdio'
}

/** A lone word is a command, or a folder for which the long way is good enough. */
const OTHER_COMMAND = /^(?!run$)[a-z-]+$/i
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
    const turn = `start-${hint}`
    // Looking is cheap; what takes a lock is loaded by the one whose turn it is, or where somebody takes long.
    const isWaiting = Date.now() < until - PATIENCE_MS + LOOK_ONLY_MS && isNameTaken(folder, turn)
    const locks = isWaiting ? null : await claimName(folder, turn)
    if (locks !== null) return { endTurn: () => locks.close() }
    await Bun.sleep(PAUSE_MS + Math.random() * PAUSE_MS)
  }
  return null
}
