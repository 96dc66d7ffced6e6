import path from 'node:path'
import { ROOT, runBun } from './project.ts'

/**
 * `bun run compile [FILE]` makes one file that needs nothing beside it: text search and editing. What needs native
 * code or weights (local embedding models, the graph of vectors) says that it is missing.
 */
const outfile = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist', 'knap'))
process.exit(
  await runBun([
    'build',
    '--compile',
    '--minify-syntax',
    // A vault may be the working directory: what lies in it sets nothing and runs nowhere.
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--external',
    '@huggingface/transformers',
    '--external',
    'hnswlib-node',
    '--outfile',
    outfile,
    path.join('src', 'main.ts'),
  ]),
)
