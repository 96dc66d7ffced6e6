import { firstOf } from './first_of.ts'
import type { Scored } from './score.ts'

/** Notes that are in any of the sets, with the sum of their scores and in how many sets they are. */
export interface Union extends Scored {
  readonly found: Uint16Array
}

/** @param span notes are numbered below this */
export function union(sets: readonly Scored[], span: number): Union {
  const [only] = sets
  if (only !== undefined && sets.length === 1)
    return { ...only, found: new Uint16Array(only.docs.length).fill(1) }
  const sums = new Float64Array(span)
  const found = new Uint16Array(span)
  let most = 0
  for (const { docs, scores } of sets) {
    most += docs.length
    for (let i = 0; i < docs.length; i++) {
      sums[docs[i]!]! += scores[i]!
      found[docs[i]!]!++
    }
  }
  const docs = new Uint32Array(Math.min(most, span))
  const scores = new Float64Array(docs.length)
  const foundIn = new Uint16Array(docs.length)
  let n = 0
  for (let doc = 0; doc < span && n < docs.length; doc++) {
    if (found[doc] === 0) continue
    docs[n] = doc
    scores[n] = sums[doc]!
    foundIn[n++] = found[doc]!
  }
  return { docs: firstOf(docs, n), scores: firstOf(scores, n), found: firstOf(foundIn, n) }
}

/** Notes that are in both, with the sum of their scores. */
export function intersection(a: Scored, b: Scored): Scored {
  return join(a, b, 'both')
}

/** The notes of `a`, with the scores of `b` added where they are in it too. */
export function raised(a: Scored, b: Scored): Scored {
  return join(a, b, 'left')
}

/** The notes of `a` that are not in `b`. */
export function difference(a: Scored, b: Scored): Scored {
  return join(a, b, 'without')
}

function join(a: Scored, b: Scored, how: 'both' | 'left' | 'without'): Scored {
  const docs = new Uint32Array(a.docs.length)
  const scores = new Float64Array(a.docs.length)
  let n = 0
  let j = 0
  for (let i = 0; i < a.docs.length; i++) {
    const doc = a.docs[i]!
    while (j < b.docs.length && b.docs[j]! < doc) j++
    const inBoth = j < b.docs.length && b.docs[j] === doc
    if (how === 'both' ? !inBoth : how === 'without' && inBoth) continue
    docs[n] = doc
    scores[n++] = a.scores[i]! + (inBoth && how !== 'without' ? b.scores[j]! : 0)
  }
  return { docs: firstOf(docs, n), scores: firstOf(scores, n) }
}

/** Position in ascending numbers, or -1. */
export function indexIn(numbers: Uint32Array, wanted: number): number {
  let from = 0
  let to = numbers.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (numbers[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return from < numbers.length && numbers[from] === wanted ? from : -1
}
