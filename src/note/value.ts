/** Are two plain JSON values the same? The order of a map's keys does not count. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => sameValue(x, b[i]))
    )
  }
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        sameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  )
}

/** Values nested deeper than this cannot be kept as a property. */
const MAX_DEPTH = 60

/** Why a value cannot be kept in a property block as plain JSON, or null where it can. */
export function whyNotPlain(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} deep`
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      if (!Number.isFinite(value)) return `${value} is no number that YAML and JSON share`
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        return `${value} is beyond the whole numbers that are kept exactly: send it as text`
      }
      return null
    case 'object': {
      if (value === null) return null
      const children = Array.isArray(value) ? value : Object.values(value)
      for (const child of children) {
        const reason = whyNotPlain(child, depth + 1)
        if (reason !== null) return reason
      }
      return null
    }
    default:
      return `a ${typeof value} is no JSON value`
  }
}
