import { findEngine } from './engine/find.ts'
import { runFront } from './engine/front.ts'
import type { Hello, Welcome } from './engine/greeting.ts'
import type { Host } from './engine/host.ts'
import { greet, Link } from './engine/link.ts'
import { stdioWire } from './engine/stdio_wire.ts'
import { wireOf } from './engine/wire.ts'
import { log } from './logger.ts'
import type { Joined } from './shared_engine.ts'
import type { Vault } from './vault/vault.ts'

/** An engine in this process. */
interface OwnEngine {
  readonly host: Host
  readonly vaults: readonly Vault[]
}

/** When an engine ends all its clients look for the next: each a little later (ms, at most) than it could. */
const JITTER_MS = 30
/** A client that only reads becomes the engine of no writer: it waits so long (ms) whether one of those takes over. */
const WRITERS_FIRST_MS = 500
/** How long (ms) another client may take to become the engine. */
const PATIENCE_MS = 8000

/**
 * Serves the client on standard input and output by the engine of another process. When that ends, one of its clients
 * becomes the engine of the others: this file loads nothing of an engine before.
 */
export async function serveJoined({ link, folder, hello }: Joined): Promise<never> {
  let own: OwnEngine | null = null
  log.debug('served by the engine of another process')
  const next = async (before: Welcome): Promise<Link> => {
    await Bun.sleep(Math.random() * JITTER_MS)
    const again: Hello = { ...hello, atMost: before.tools }
    const { key, own: name } = before
    const found = await findEngine({
      folder,
      names: key === name ? [key] : [key, name],
      own: name,
      hello: again,
      claimAfterMs: key === name ? 0 : WRITERS_FIRST_MS,
      patienceMs: PATIENCE_MS,
    })
    if (found !== null && 'link' in found) return found.link
    const [{ becomeEngine }, { duplexPair }] = await Promise.all([
      import('./become_engine.ts'),
      import('node:stream'),
    ])
    own = await becomeEngine(hello.inputs.argv, found && { folder, name, locks: found.locks })
    const [there, here] = duplexPair()
    own.host.accept(there)
    const joined = await greet(wireOf(here), again)
    if (joined instanceof Link) return joined
    throw new Error('The settings have become others that serve no client like this one.')
  }
  const client = stdioWire()
  const gone = runFront({ client, link, next }).then(() => client.written())
  let code = 0
  try {
    await Promise.race([gone, stopSignal()])
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string }
    process.stderr.write(`knap: ${[message, hint].filter(Boolean).join(' ')}\n`)
    code = 1
  }
  await closeQuickly(own)
  process.exit(code)
}

async function closeQuickly(own: OwnEngine | null): Promise<void> {
  if (own === null) return
  const { host, vaults } = own
  const closed = host.leave().then(() => Promise.all(vaults.map((vault) => vault.close())))
  await Promise.race([closed, Bun.sleep(LONGEST_CLOSE_MS)])
}

const LONGEST_CLOSE_MS = 1800

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
