/** Where the moving note of the crash test may be. */
export const PLACES = ['here/moving.md', 'there/moved.md'] as const

export type Place = (typeof PLACES)[number]

export function otherPlace(place: Place): Place {
  return place === PLACES[0] ? PLACES[1] : PLACES[0]
}

/** A text from which it can be told that it is whole. */
export function noteText(name: string, seq: number): string {
  return `${name} ${seq} ${'x'.repeat((seq * 37) % 9000)} end`
}

/** The number with which the text was written, or null where it is not a whole text of that note. */
export function seqOf(name: string, text: string): number | null {
  const seq = Number(text.split(' ')[1])
  return Number.isInteger(seq) && text === noteText(name, seq) ? seq : null
}
