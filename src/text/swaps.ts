/** A word with each two neighbouring characters swapped: the slip of the finger that costs an edit distance two. */
export function adjacentSwaps(word: string): string[] {
  const letters = [...word]
  const out = new Set<string>()
  for (let i = 1; i < letters.length; i++) {
    if (letters[i] === letters[i - 1]) continue
    out.add([...letters.slice(0, i - 1), letters[i], letters[i - 1], ...letters.slice(i + 1)].join(''))
  }
  return [...out]
}
