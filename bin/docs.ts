import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './project.ts'
import { withTables } from './readme.ts'

/** `bun run docs` prints the tables of the README afresh, from the schemas that the program itself uses. */

const readme = path.join(ROOT, 'README.md')
const before = readFileSync(readme, 'utf8')
const after = withTables(before)
if (after !== before) writeFileSync(readme, after)
console.error(after === before ? 'README.md is up to date.' : 'README.md has new tables.')
