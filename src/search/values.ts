/**
 * Are two property values the same? A number and its text are, as are a boolean and its text; of lists and mappings
 * every part must be. Texts are compared exactly, except for their Unicode form.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.normalize('NFC') === b.normalize('NFC')
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return sameScalar(a, b)
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((element, i) => sameValue(element, b[i]))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      sameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}

/**
 * Which of two values comes first: numbers (also written as text) by size, dates and times by the instant (those
 * without a zone are taken as UTC), other texts by code units.
 * @returns below 0, 0, above 0; null for values that have no order
 */
export function compareValues(a: unknown, b: unknown): number | null {
  const [x, y] = [toNumber(a), toNumber(b)]
  if (x !== null && y !== null) return x - y
  if (typeof a !== 'string' || typeof b !== 'string') return typeof a === 'boolean' && a === b ? 0 : null
  const [from, to] = [toInstant(a), toInstant(b)]
  if (from !== null && to !== null) return from - to
  return a < b ? -1 : a > b ? 1 : 0
}

/** Milliseconds since 1970 of `2026-03-01`, `2026-03-01T10:00`, `2026-03-01 10:00:00+02:00`; null for other text. */
export function toInstant(text: string): number | null {
  const found = ISO.exec(text.trim())
  if (found === null) return null
  const [, date, time, zone] = found
  const instant = Date.parse(`${date}T${time ?? '00:00'}${zone === undefined ? 'Z' : zoned(zone)}`)
  return Number.isNaN(instant) ? null : instant
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

function zoned(zone: string): string {
  return zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !NUMBER.test(value.trim())) return null
  return Number(value)
}

function sameScalar(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const [text, other] = typeof a === 'string' ? [a, b] : [b, a]
  if (typeof text !== 'string') return false
  if (typeof other === 'number') return toNumber(text) === other
  return typeof other === 'boolean' && text.toLowerCase() === String(other)
}
