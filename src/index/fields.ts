/** The fields of a note that are indexed, in the order of their bits and of every per-field array. */
export const FIELDS = ['title', 'aliases', 'headings', 'tags', 'frontmatter', 'body'] as const

export type FieldName = (typeof FIELDS)[number]

/** Bit `i` stands for `FIELDS[i]`. */
export type FieldMask = number

export const FIELD_COUNT = FIELDS.length

export const ALL_FIELDS: FieldMask = (1 << FIELD_COUNT) - 1

export function fieldMask(names: readonly FieldName[]): FieldMask {
  return names.reduce((mask, name) => mask | (1 << FIELDS.indexOf(name)), 0)
}

export function fieldNames(mask: FieldMask): FieldName[] {
  return FIELDS.filter((_, field) => mask & (1 << field))
}

/**
 * A posting's key: which note (number inside its segment, below 2^29) and which field. Keys of one term ascend, so
 * that the fields of one note lie side by side.
 */
export function postingKey(doc: number, field: number): number {
  return (doc << FIELD_BITS) | field
}

/** `key >>> FIELD_BITS` is the note, `key & FIELD_OF_KEY` the field. */
export const FIELD_BITS = 3
export const FIELD_OF_KEY = 7
