import { writeSync } from 'node:fs'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogSettings {
  readonly level: LogLevel
  /** Texts that never appear in the log, whatever they stand in (tokens, keys, passwords). */
  readonly secrets?: readonly string[]
  /** Takes one line with its line end. The default is standard error: standard output belongs to the protocol. */
  readonly write?: (line: string) => void
}

export interface Log {
  trace(message: string, detail?: unknown): void
  debug(message: string, detail?: unknown): void
  info(message: string, detail?: unknown): void
  warn(message: string, detail?: unknown): void
  /** Errors are logged whole, their causes and stacks included. */
  error(message: string, detail?: unknown): void
}

let settings: LogSettings = { level: 'info' }

/** Sets what the whole program's log shows and hides. */
export function configureLog(next: LogSettings): void {
  settings = next
}

/** The program's log: one line an event, on standard error. */
export const log: Log = {
  trace: (message, detail) => emit('trace', message, detail),
  debug: (message, detail) => emit('debug', message, detail),
  info: (message, detail) => emit('info', message, detail),
  warn: (message, detail) => emit('warn', message, detail),
  error: (message, detail) => emit('error', message, detail),
}

function emit(level: LogLevel, message: string, detail: unknown): void {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(settings.level)) return
  const words = detail === undefined ? message : `${message}: ${describe(detail)}`
  const line = `${new Date().toISOString()} ${level.padEnd(5)} ${oneLine(redact(words, settings.secrets))}\n`
  const write = settings.write ?? toStandardError
  write(line)
}

function describe(detail: unknown): string {
  if (!(detail instanceof Error))
    return typeof detail === 'string' ? detail : (JSON.stringify(detail) ?? String(detail))
  const stack = detail.stack ?? `${detail.name}: ${detail.message}`
  return detail.cause === undefined ? stack : `${stack}\ncaused by ${describe(detail.cause)}`
}

/** Shapes of credentials that no setting names: they come in through URLs, headers and messages of other servers. */
const CREDENTIALS: readonly [RegExp, string][] = [
  [/\b(bearer|basic)\s+[\w~+/.=-]+/gi, '$1 ***'],
  [/\b(sk|pk|ghp|xox[abp])[-_][\w-]{8,}/g, '$1-***'],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/]*@/gi, '$1:***@'],
]

/** The text without the given secrets, and without what looks like a credential. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let out = text
  for (const secret of secrets) if (secret.length >= 4) out = out.replaceAll(secret, '***')
  for (const [pattern, mask] of CREDENTIALS) out = out.replace(pattern, mask)
  return out
}

/** A name in a vault may hold line ends and terminal codes: one event stays one harmless line. */
function oneLine(text: string): string {
  return text
    .replace(/\r?\n/g, ' ⏎ ')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function toStandardError(line: string): void {
  try {
    writeSync(2, line)
  } catch {
    // Nobody reads the log any more. Whether the program ends is for the transport to say, not for its log.
  }
}
