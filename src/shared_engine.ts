import { type Config, loadConfig } from './config.ts'
import { circumstances, hintOf, inputsOf } from './engine/circumstances.ts'
import { claimName, findEngine, isNameTaken } from './engine/find.ts'
import { FreshLook } from './engine/fresh_look.ts'
import { type Hello, helloOf, type OpenTools, type RepeatableCalls } from './engine/greeting.ts'
import { type Admit, Host } from './engine/host.ts'
import { engineKey } from './engine/key.ts'
import type { Link } from './engine/link.ts'
import { LASTING, removeLeftBehind, socketFolder, writeHint } from './engine/place.ts'
import type { ToolSet } from './mcp/registry.ts'
import { serveTransport } from './mcp/stdio.ts'
import type { Vault } from './vault/vault.ts'

/** What the program makes of settings. */
export interface EngineParts {
  readonly version: string
  readonly readFile: (path: string) => string | null
  readonly openVaults: (config: Config) => Promise<Vault[]>
  readonly toolsOf: (config: Config) => ToolSet
}

/** A way to the engine of another process, and what it takes to find the next. */
export interface Joined {
  readonly link: Link
  /** The folder of the sockets. */
  readonly folder: string
  readonly hello: Hello
}

/** How this process takes part: as the client of another one's engine, as a host for others, or not at all. */
export type Part = Joined | { readonly host: Host } | null

/** How long (ms) another process may take to become the engine, before this one stands alone. */
const PATIENCE_MS = 5000

/**
 * May other processes share the engine of one with these settings? Not where it is asked to stand alone, where it
 * does not notice changes by itself, or where its notes lie on another machine.
 */
function isShareable(config: Config): boolean {
  return !config.standalone && config.watch && config.vaults.every(({ kind }) => kind === 'local')
}

/** Looks for a running engine that would do, or becomes the one that others find. */
export async function takePart(config: Config, argv: readonly string[]): Promise<Part> {
  const folder = socketFolder({ env: process.env })
  if (folder === null || !isShareable(config)) return null
  const names = keysFor(config)
  const own = names.at(-1) as string
  if (config.transport === 'http') {
    const locks = await claimName(folder, own + LASTING)
    return locks && { host: await Host.listen(folder, own + LASTING, locks) }
  }
  const hello = helloOf(inputsOf(argv, process.env, process.cwd()), process.env)
  const found = await findEngine({ folder, names, own, hello, patienceMs: PATIENCE_MS })
  if (found === null) return null
  const hint = hintOf(hello.inputs)
  if ('link' in found) {
    writeHint(folder, hint, found.link.welcome.key)
    return { link: found.link, folder, hello }
  }
  const host = await Host.listen(folder, own, found.locks)
  removeLeftBehind(folder, (name) => isNameTaken(folder, name))
  writeHint(folder, hint, own)
  return { host }
}

/**
 * Decides which clients an engine takes: those whose settings, read here as they would read them, ask for the very
 * same engine. Each has its own tools, whatever the engine's own client may do.
 */
export function admission(config: Config, vaults: readonly Vault[], parts: EngineParts): Admit {
  const own = circumstances(process.env)
  const key = keyOf(config, config.readOnly)
  const look = new FreshLook(async () => {
    await Promise.all(vaults.map((vault) => vault.sync.fullPass()))
    tidySoon()
  })
  return ({ circumstances: theirs, inputs, atMost }) => {
    if (theirs !== own) return { refused: 'It is another program, another user or another environment.' }
    try {
      const loaded = loadConfig({ ...inputs, readFile: parts.readFile, machine: { cwd: inputs.cwd } })
      if (loaded.command.name !== 'run' || loaded.config.transport !== 'stdio' || !isShareable(loaded.config))
        return { refused: 'It wants no engine of others.' }
      const names = keysFor(loaded.config)
      if (!names.includes(key)) return { refused: 'Its settings ask for another engine.' }
      const tools = atMostOf(parts.toolsOf(loaded.config), atMost)
      return {
        welcome: {
          key,
          own: names.at(-1) as string,
          tools: openTools(tools),
          repeatable: repeatableCalls(tools),
          warnings: loaded.warnings,
          logLevel: loaded.config.logLevel,
        },
        // An engine that is still reading for the first time sees the files as they are.
        ready: vaults.every((vault) => vault.isBuilt) ? look.soon() : Promise.resolve(),
        serve: (transport) => serveTransport({ vaults, tools, version: parts.version }, transport),
      }
    } catch {
      // A client with wrong settings stands alone, and says itself what is wrong.
      return { refused: 'Its settings are not right.' }
    }
  }
}

let tidying: ReturnType<typeof setTimeout> | undefined

/** Looking at all files leaves much behind: it goes back when no further client has come for a while. */
function tidySoon(): void {
  clearTimeout(tidying)
  tidying = setTimeout(() => Bun.gc(true), TIDY_AFTER_MS)
  tidying.unref()
}

const TIDY_AFTER_MS = 2000

/** Engines that would do for these settings, the best first; the last is the one to become. */
function keysFor(config: Config): string[] {
  return config.readOnly ? [keyOf(config, false), keyOf(config, true)] : [keyOf(config, false)]
}

function keyOf(config: Config, readOnly: boolean): string {
  // What each connection has for itself, or what has done its work when an engine is looked for.
  const { vaults, tools: _1, profilesDir: _2, transport: _3, http: _4, standalone: _5, ...rest } = config
  const local = vaults.flatMap((vault) => (vault.kind === 'local' ? [vault] : []))
  return engineKey({ ...rest, readOnly }, local, circumstances(process.env))
}

/** A client that had another engine before keeps at most what it had there. */
function atMostOf(tools: ToolSet, limit: OpenTools | undefined): ToolSet {
  if (limit === undefined) return tools
  const open = tools.open().flatMap((entry) => {
    const most = Object.hasOwn(limit, entry.tool.name) ? limit[entry.tool.name] : undefined
    return most === undefined ? [] : [most === 'read' ? { ...entry, access: most } : entry]
  })
  return { open: () => open, find: (name) => open.find(({ tool }) => tool.name === name) }
}

function openTools(tools: ToolSet): OpenTools {
  return Object.fromEntries(
    tools.open().flatMap(({ tool, access }) => (access === 'closed' ? [] : [[tool.name, access] as const])),
  )
}

function repeatableCalls(tools: ToolSet): RepeatableCalls {
  const calls: Record<string, true | readonly string[]> = {}
  for (const {
    tool: { name, access },
  } of tools.open()) {
    if (typeof access === 'object') calls[name] = access.reads
    else if (access === 'read') calls[name] = true
  }
  return calls
}
