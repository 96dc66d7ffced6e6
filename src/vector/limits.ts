/** Ceilings of semantic preparation; what is over one of them is an error that says so, never a text cut off in silence. */

/** Bytes of a note that is prepared: larger ones are left to words. */
export const MAX_SOURCE_BYTES = 16 * 1024 * 1024
/** Pieces of one note. */
export const MAX_CHUNKS = 4096
/** Version of the rules by which notes are cut: another one cuts every note again, and keeps the vectors of equal pieces. */
export const CHUNK_RULES = 2
/** UTF-16 units of title, aliases and headings that stand before a piece. */
export const MAX_PREFIX = 16 * 1024
