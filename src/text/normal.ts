/**
 * The surface form of a piece of text: compatibility forms unified (NFKC), lower case, invisible characters
 * dropped, typographic apostrophes and hyphens as on the keyboard. Diacritics stay.
 */
export function surfaceForm(piece: string): string {
  return piece
    .normalize('NFKC')
    .toLowerCase()
    .replace(INVISIBLE, '')
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, '-')
}

const INVISIBLE =
  /[\u00ad\u061c\u200b-\u200f\u2060-\u2064\ufeff]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu
const APOSTROPHES = /[\u2019\u02bc]/g
const HYPHENS = /[\u2010\u2011]/g
