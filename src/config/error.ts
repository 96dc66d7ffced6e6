import { redact } from '../logger.ts'

/** A setting that cannot be used. The message is one line: where it stands, its value, and what is right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** A value as messages show it: quoted, short, without control characters and without what looks like a credential. */
export function shown(value: unknown): string {
  const text = redact(JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
