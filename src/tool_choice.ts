import type { Config } from './config.ts'
import { offeredTools } from './documentation.ts'
import { VaultError } from './errors.ts'
import { log } from './logger.ts'
import { loadProfiles } from './mcp/profile_files.ts'
import { watchProfiles } from './mcp/profile_watch.ts'
import {
  accessIn,
  type FilterNames,
  narrow,
  parseToolFilter,
  readOnlyFilter,
  type ToolFilter,
} from './mcp/profiles.ts'
import { type ToolSet, toolSet } from './mcp/registry.ts'
import type { Tool } from './mcp/tool.ts'
import { TOOLS } from './mcp/tools.ts'

/** The choices of headers that are kept; a client may send a new one with every request. */
const MOST_KEPT = 1000

/**
 * The server's own filter, narrowed by a request's header. What is open follows the user's profiles: when one of
 * their files changes, every set that was given out shows it at once.
 * @param origin what the server's filter was given by, for messages
 * @returns throws VaultError for a header that cannot be read
 * @throws VaultError for settings that cannot be read
 */
export function toolChooser(config: Config, origin = 'OBSIDIAN_TOOLS'): (header: string | null) => ToolSet {
  const watched = watchProfiles(config.profilesDir)
  const isRemote = config.vaults.length > 0 && config.vaults.every(({ kind }) => kind === 'sftp')
  const here = TOOLS.filter((tool) => !(isRemote && tool.localOnly))
  const read = () => readRules(config, here, origin)
  let rules = read()
  let version = watched.version
  const current = (): Rules => {
    if (version !== watched.version) {
      version = watched.version
      rules = reread(read) ?? rules
    }
    return rules
  }
  const made = new Map<string, ToolSet>()
  return (header) => {
    const key = header ?? ''
    let found = made.get(key)
    if (found === undefined) {
      found = live(current, key, (listener) => watched.onChange(listener))
      if (made.size > MOST_KEPT) made.clear()
      made.set(key, found)
    }
    return found
  }
}

interface Rules {
  readonly names: FilterNames
  readonly own: ToolFilter
  readonly offered: readonly Tool[]
}

function readRules(config: Config, tools: readonly Tool[], origin: string): Rules {
  const known = TOOLS.map(({ name }) => name)
  const names = { tools: TOOLS, profiles: loadProfiles(config.profilesDir, known) }
  const asked = ownFilter(config.tools, names, origin)
  const own = config.readOnly ? narrow(asked, readOnlyFilter(TOOLS)) : asked
  return { names, own, offered: offeredTools(tools, config, (name) => accessIn(own, name) !== 'closed') }
}

/** @throws VaultError that says where the filter stands */
function ownFilter(text: string, names: FilterNames, origin: string): ToolFilter {
  try {
    return parseToolFilter(text, names)
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    throw new VaultError(error.code, `${origin}: ${error.message}`, { hint: error.hint, cause: error })
  }
}

/** @returns null where a profile cannot be read as it is now: what was open before stays so */
function reread(read: () => Rules): Rules | null {
  try {
    return read()
  } catch (error) {
    log.warn('the profiles as they are now cannot be used; the ones before stay in force', error)
    return null
  }
}

/** A set that follows the rules. @throws VaultError for a header that cannot be read */
function live(current: () => Rules, header: string, onChange: (listener: () => void) => () => void): ToolSet {
  let rules = current()
  let set = setOf(rules, header)
  const now = (): ToolSet => {
    const latest = current()
    if (latest === rules) return set
    rules = latest
    try {
      set = setOf(rules, header)
    } catch (error) {
      // The header names a profile that is gone: what it opened is not open any more.
      log.debug('a tool filter of a client is not right any more', error)
      set = toolSet([], () => 'closed')
    }
    return set
  }
  return { open: () => now().open(), find: (name) => now().find(name), onChange }
}

function setOf({ names, own, offered }: Rules, header: string): ToolSet {
  const filter = header === '' ? own : narrow(own, parseToolFilter(header, names))
  return toolSet(offered, (name) => accessIn(filter, name))
}
