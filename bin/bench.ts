import { readdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT, runBun } from './project.ts'

/** `bun run bench NAME [OPTION…]` runs `bench/NAME.ts`; without a name it lists them. */

const [name, ...options] = process.argv.slice(2)
const names = readdirSync(path.join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort()

if (name !== undefined && names.includes(name)) {
  process.exit(await runBun(['--no-env-file', '--no-install', path.join('bench', `${name}.ts`), ...options]))
}
if (name !== undefined) console.error(`There is no benchmark ${JSON.stringify(name)}.`)
console.error(`bun run bench NAME, where NAME is one of: ${names.join(', ')}`)
process.exit(name === undefined ? 0 : 2)
