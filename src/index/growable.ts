/** Numbers of one kind in a typed array that doubles when it is full. */
export class Growable<A extends Uint8Array | Uint16Array | Uint32Array> {
  items: A
  length = 0
  private readonly make: (capacity: number) => A

  constructor(make: (capacity: number) => A, capacity: number) {
    this.make = make
    this.items = make(Math.max(capacity, 16))
  }

  push(value: number): void {
    if (this.length === this.items.length) this.reserve(1)
    this.items[this.length++] = value
  }

  /** Makes room for `more` items, so that they can be written without a check each. */
  reserve(more: number): void {
    if (this.length + more <= this.items.length) return
    const grown = this.make(Math.max(this.length + more, this.items.length * 2))
    grown.set(this.items.subarray(0, this.length))
    this.items = grown
  }

  append(values: A): void {
    this.reserve(values.length)
    this.items.set(values, this.length)
    this.length += values.length
  }

  /** What was pushed, as a view. */
  view(): A {
    return this.items.subarray(0, this.length) as A
  }
}

export function growableUint32(capacity = 16): Growable<Uint32Array> {
  return new Growable((n) => new Uint32Array(n), capacity)
}

export function growableUint8(capacity = 16): Growable<Uint8Array> {
  return new Growable((n) => new Uint8Array(n), capacity)
}
