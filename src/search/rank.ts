import { compareStrings } from '../index/string_table.ts'
import type { IndexView } from '../index/text_index.ts'
import { type Scored, segmentOf } from './score.ts'

/**
 * The best notes: by score, what scores alike by path (code point order).
 * @param most at most this many
 * @returns positions in `scored`, best first
 */
export function topRanked(view: IndexView, scored: Scored, most: number): number[] {
  const { scores } = scored
  const before = (a: number, b: number) => scores[a]! - scores[b]! || comparePaths(view, scored, b, a)
  if (most <= 0) return []
  const heap: number[] = []
  for (let i = 0; i < scores.length; i++) {
    if (heap.length < most) {
      heap.push(i)
      siftUp(heap, before)
    } else if (scores[i]! >= scores[heap[0]!]! && before(i, heap[0]!) > 0) {
      heap[0] = i
      siftDown(heap, before)
    }
  }
  return heap.sort((a, b) => before(b, a))
}

/** Positive where `a` is the better one. */
type Order = (a: number, b: number) => number

/** The heap keeps the worst of the best on top. */
function siftUp(heap: number[], order: Order): void {
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (order(heap[at]!, heap[parent]!) >= 0) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown(heap: number[], order: Order): void {
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    if (left >= heap.length) return
    const right = left + 1
    const child = right < heap.length && order(heap[right]!, heap[left]!) < 0 ? right : left
    if (order(heap[child]!, heap[at]!) >= 0) return
    swap(heap, at, child)
    at = child
  }
}

function swap(heap: number[], a: number, b: number): void {
  const held = heap[a]!
  heap[a] = heap[b]!
  heap[b] = held
}

function comparePaths(view: IndexView, { docs }: Scored, a: number, b: number): number {
  const left = view.segments[segmentOf(view, docs[a]!)]!
  const right = view.segments[segmentOf(view, docs[b]!)]!
  return compareStrings(left.segment.paths, docs[a]! - left.base, right.segment.paths, docs[b]! - right.base)
}
