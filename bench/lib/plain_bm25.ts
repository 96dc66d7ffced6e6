/**
 * The yardstick: BM25 as in the textbook over one field, k1 1.2, b 0.75, no stop words, no stemming, ideographs and
 * kana in overlapping pairs. Slow and plain on purpose.
 * @param notes by id
 * @returns the ids of the best notes for a question, best first
 */
export function plainBm25(notes: ReadonlyMap<string, string>): (query: string, limit: number) => string[] {
  const postings = new Map<string, Map<string, number>>()
  const lengths = new Map<string, number>()
  let total = 0
  for (const [id, text] of notes) {
    const words = plainWords(text)
    lengths.set(id, words.length)
    total += words.length
    for (const word of words) {
      const list = postings.get(word) ?? new Map<string, number>()
      postings.set(word, list.set(id, (list.get(id) ?? 0) + 1))
    }
  }
  const meanLength = total / Math.max(1, notes.size)
  return (query, limit) => {
    const scores = new Map<string, number>()
    for (const word of plainWords(query)) {
      const list = postings.get(word)
      if (list === undefined) continue
      const idf = Math.log(1 + (notes.size - list.size + 0.5) / (list.size + 0.5))
      for (const [id, count] of list) {
        const norm = K1 * (1 - B + (B * lengths.get(id)!) / meanLength)
        scores.set(id, (scores.get(id) ?? 0) + (idf * count * (K1 + 1)) / (count + norm))
      }
    }
    const ranked = [...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    return ranked.slice(0, limit).map(([id]) => id)
  }
}

const K1 = 1.2
const B = 0.75

const WORD = /[\p{L}\p{N}\p{M}_]+/gu
const IDEOGRAPHIC_RUN = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー]+/gu

function plainWords(text: string): string[] {
  const normal = text.normalize('NFKC').toLowerCase()
  const words: string[] = []
  for (const [word] of normal.matchAll(WORD)) {
    for (const run of word.split(/([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー]+)/u)) {
      if (run === '') continue
      if (run.match(IDEOGRAPHIC_RUN) === null) words.push(run)
      else words.push(...pairsOf([...run]))
    }
  }
  return words
}

function pairsOf(characters: readonly string[]): string[] {
  if (characters.length === 1) return [characters[0]!]
  return characters.slice(1).map((next, i) => characters[i]! + next)
}
