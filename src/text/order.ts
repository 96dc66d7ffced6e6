/** Compares by code points, where `<` compares UTF-16 units and puts an emoji before `ﬀ` (U+FB00). */
export function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Shorter texts first (in UTF-16 units), those of equal length by code points. */
export function byLengthThenCodePoint(a: string, b: string): number {
  return a.length - b.length || byCodePoint(a, b)
}

/** Lifts surrogates above the rest of the basic plane, where the code points that they stand for belong. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
