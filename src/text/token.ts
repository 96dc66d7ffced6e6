/**
 * Takes one token.
 * @param term surface form: NFKC, lower case, diacritics kept, 1 to {@link LONGEST_TERM} UTF-16 units
 * @param start UTF-16 offset of its first unit in the text
 * @param end after its last unit
 * @param position place in the order of words; several tokens may share one
 */
export type TokenSink = (term: string, start: number, end: number, position: number) => void

/** Takes tokens without a string for each: most are pieces of the text. Otherwise as {@link TokenSink}. */
export interface TokenTarget {
  /**
   * A token that is the text between `start` and `end` in lower case, which can be had unit by unit
   * (see `lowerCase`); at most {@link LONGEST_TERM} units.
   */
  piece(start: number, end: number, position: number): void
  term(term: string, start: number, end: number, position: number): void
}

/** UTF-16 units. Longer runs without a break are no words: keys, hashes, encoded files. */
export const LONGEST_TERM = 64
