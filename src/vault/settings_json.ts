/** Settings files are other programs': any field may be missing or of another type. */

export type Json = Readonly<Record<string, unknown>>

/** @returns null for everything that is no plain JSON object */
export function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

/** The text without blanks around it; `''` for everything that is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
