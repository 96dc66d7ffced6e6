import { LOG_LEVELS, type LogLevel } from '../logger.ts'
import { circumstances, type Inputs } from './circumstances.ts'

/** Raised whenever what goes over the socket changes its meaning. */
const WIRE = 1

/** The first line of a client of the engine. */
export interface Hello {
  readonly wire: number
  /** See `circumstances`: the engine's own must be the same. */
  readonly circumstances: string
  readonly inputs: Inputs
  /** A client that had another engine before keeps at most what it could do there. */
  readonly atMost?: OpenTools | undefined
}

/** How far each tool is open for a client; what is not named is closed. */
export type OpenTools = Readonly<Record<string, 'read' | 'open'>>

/** Which calls change nothing and may be repeated: all of a tool (true), or those with one of these actions. */
export type RepeatableCalls = Readonly<Record<string, true | readonly string[]>>

/** What the engine answers to a {@link Hello}. */
export type Greeting =
  /** It is being made ready; another answer follows. */
  { readonly state: 'starting' } | { readonly state: 'refused'; readonly why: string } | Welcome

export interface Welcome {
  readonly state: 'welcome'
  /** The engine's name. */
  readonly key: string
  /** The name of the engine that this client would become: another one for a client that only reads. */
  readonly own: string
  readonly tools: OpenTools
  readonly repeatable: RepeatableCalls
  /** Of reading the client's settings, for its own log. */
  readonly warnings: readonly string[]
  readonly logLevel: LogLevel
}

/** The engine is about to end: it has taken the first `taken` messages of this client and will take no more. */
export interface Bye {
  readonly state: 'bye'
  readonly taken: number
}

/** What a process says of itself to an engine. */
export function helloOf(inputs: Inputs, env: Readonly<Record<string, string | undefined>>): Hello {
  return { wire: WIRE, circumstances: circumstances(env), inputs }
}

/** The engine was asked whether it is there. */
export interface Here {
  readonly state: 'here'
}

/** Nothing that comes over the socket is believed to be well-formed. @returns null for anything else */
export function readHello(line: Buffer): Hello | null {
  const value = parsed(line)
  const { wire, circumstances, inputs } = value as Partial<Hello>
  if (wire !== WIRE || typeof circumstances !== 'string' || typeof inputs !== 'object' || inputs === null)
    return null
  const { argv, env, cwd } = inputs
  const isSound =
    Array.isArray(argv) &&
    argv.every((word) => typeof word === 'string') &&
    typeof cwd === 'string' &&
    typeof env === 'object' &&
    env !== null &&
    Object.values(env).every((text) => typeof text === 'string')
  return isSound ? (value as Hello) : null
}

export function readGreeting(line: Buffer): Greeting | null {
  const value = parsed(line) as Partial<Welcome> | { state?: 'starting' | 'refused' }
  if (value.state === 'starting' || value.state === 'refused') return value as Greeting
  const { state, key, own, tools, repeatable, warnings, logLevel } = value as Partial<Welcome>
  const isSound =
    state === 'welcome' &&
    typeof key === 'string' &&
    typeof own === 'string' &&
    typeof tools === 'object' &&
    typeof repeatable === 'object' &&
    Array.isArray(warnings) &&
    logLevel !== undefined &&
    LOG_LEVELS.includes(logLevel)
  return isSound ? (value as Welcome) : null
}

function parsed(line: Buffer): object {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
