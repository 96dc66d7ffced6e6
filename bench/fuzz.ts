/**
 * Generated inputs for the parts that read what others write, with the promises that hold for any input.
 *
 *   bun run bench fuzz [TARGET…] [--seconds 60 | --inputs 1000000] [--seed N]
 *
 * Prints inputs a target and their rate; ends with 1 and the seed where a promise is broken.
 */
import { parseArgs } from 'node:util'
import { FUZZ_TARGETS } from './lib/fuzz_targets.ts'
import { randomFrom } from './lib/random.ts'
import { table } from './lib/table.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    inputs: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

const names = positionals.length > 0 ? positionals : Object.keys(FUZZ_TARGETS)
const most = flags.inputs === undefined ? Number.POSITIVE_INFINITY : Number(flags.inputs)
const share =
  flags.inputs === undefined ? (Number(flags.seconds) * 1000) / names.length : Number.POSITIVE_INFINITY
let broken = 0
const rows = names.map((name) => {
  const target = FUZZ_TARGETS[name]
  if (target === undefined) throw new Error(`There is no target ${JSON.stringify(name)}.`)
  const random = randomFrom(Number(flags.seed))
  const since = performance.now()
  let inputs = 0
  try {
    while (inputs < most && performance.now() - since < share) {
      target(random)
      inputs++
    }
  } catch (error) {
    broken++
    console.error(`${name}, input ${inputs} of seed ${flags.seed}: ${error}`)
  }
  const seconds = (performance.now() - since) / 1000
  return [name, inputs, seconds.toFixed(1), Math.round(inputs / seconds)]
})
console.log(`seed ${flags.seed}\n\n${table(['target', 'inputs', 'seconds', 'inputs / s'], rows)}`)
process.exit(broken === 0 ? 0 : 1)
