/**
 * The first `count` numbers: the array itself where it has no more, else a copy. A view would be dearer: an array that
 * gets its first one has to be moved to where views can share it.
 */
export function firstOf<A extends Float64Array | Uint32Array | Uint16Array>(numbers: A, count: number): A {
  return numbers.length === count ? numbers : (numbers.slice(0, count) as A)
}
