import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { growableUint8 } from '../../src/index/growable.ts'
import { decodePositions, encodePositions } from '../../src/index/positions.ts'

const cases = [
  { positions: [], bytes: 0 },
  { positions: [0], bytes: 1 },
  { positions: [5, 5, 132], bytes: 3 },
  { positions: [128, 20_000_000], bytes: 6 },
]
test.each(cases)('$positions take $bytes bytes', ({ positions, bytes }) => {
  const out = growableUint8()
  encodePositions(out, Uint32Array.from(positions), 0, positions.length)
  expect(out.length).toBe(bytes)
})

test('positions come out as they went in', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0x7fffffff)), fc.array(fc.nat(300)), (first, second) => {
      const out = growableUint8()
      const lists = [first, second].map((list) => Uint32Array.from(list).sort())
      const ends = lists.map((list) => {
        encodePositions(out, list, 0, list.length)
        return out.length
      })
      const back: number[][] = [[], []]
      decodePositions(out.items, 0, ends[0]!, back[0]!)
      decodePositions(out.items, ends[0]!, ends[1]!, back[1]!)
      expect(back).toEqual(lists.map((list) => [...list]))
    }),
  )
})
