import { expect, setDefaultTimeout, test } from 'bun:test'
import { FUZZ_TARGETS } from '../../bench/lib/fuzz_targets.ts'
import { randomFrom } from '../../bench/lib/random.ts'

setDefaultTimeout(120_000)

/** Another one each time; a failure is repeated with `bun run bench fuzz TARGET --seed N`. */
const SEED = Number(process.env.KNAP_SEED ?? Date.now() % 1_000_000)
const INPUTS = Number(process.env.KNAP_FUZZ_INPUTS ?? 4000)

test.each(Object.entries(FUZZ_TARGETS))(`%s keeps its promises for any input (seed ${SEED})`, (_, target) => {
  const random = randomFrom(SEED)
  let inputs = 0
  for (; inputs < INPUTS; inputs++) target(random)
  expect(inputs).toBe(INPUTS)
})
