import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dir, '..')

/** From top to bottom: a file imports from its own room and from those behind it. */
const ROOMS = [
  'main',
  'config',
  'cli',
  'engine',
  'mcp',
  'docs',
  'vault',
  'storage',
  'search',
  'index',
  'vector',
  'note',
  'text',
  'logger',
  'errors',
]
/** Text and numbers in, the same out. */
const PURE = ['index', 'note', 'text', 'errors']
const MOST_LINES = 400

const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts'))

interface Import {
  readonly from: string
  /** A file of `src`, from the root of the project, or the name of a package. */
  readonly to: string
  readonly typeOnly: boolean
}

const imports: Import[] = sources.flatMap((from) => importsOf(from, read(from)))

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

function importsOf(from: string, text: string): Import[] {
  const statements = text.matchAll(
    /^(import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm,
  )
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)
  return [
    ...[...statements].map((found) => ({
      to: (found[3] ?? found[4]) as string,
      typeOnly: found[2] !== undefined,
    })),
    ...[...dynamic].map((found) => ({ to: found[1] as string, typeOnly: false })),
  ].map(({ to, typeOnly }) => ({
    from,
    typeOnly,
    to: to.startsWith('.') ? path.posix.join(path.posix.dirname(from), to) : to,
  }))
}

/** `src/note/parse.ts` → `note`; `src/config.ts` → `config`; the program itself is `main`. */
function roomOf(file: string): string {
  const name = file.split('/')[1]?.replace(/\.ts$/, '') ?? ''
  return [
    'program',
    'semantic_options',
    'documentation',
    'start',
    'service_start',
    'terminal',
    'tool_choice',
    'joined',
    'shared_engine',
    'become_engine',
    'open_vault',
    'open_remote_vault',
  ].includes(name)
    ? 'main'
    : name
}

function inside(to: string): boolean {
  return to.startsWith('src/')
}

test('every file stands in a room', () => {
  expect(sources.filter((file) => !ROOMS.includes(roomOf(file)))).toEqual([])
})

test('no file imports from a room above its own', () => {
  const climbs = imports.filter(
    ({ from, to }) => inside(to) && ROOMS.indexOf(roomOf(to)) < ROOMS.indexOf(roomOf(from)),
  )
  expect(climbs.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('no files import each other in a circle', () => {
  expect(circles(new Map(sources.map((file) => [file, targets(file)])))).toEqual([])
})

function targets(file: string): string[] {
  return imports
    .filter(({ from, to, typeOnly }) => from === file && inside(to) && !typeOnly)
    .map(({ to }) => to)
}

/** Each circle once, as `a → b → a`. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const walk = (file: string, above: readonly string[]): void => {
    const at = above.indexOf(file)
    if (at >= 0) found.push([...above.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const next of graph.get(file) ?? []) walk(next, [...above, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return found
}

test('the pure rooms touch neither files nor sockets, neither clocks nor the process', () => {
  const impure =
    /^(node:(fs|net|http|https|os|child_process|worker_threads|dns|tls|process)|fs|net|os|bun|chokidar)\b/
  const imported = imports.filter(
    ({ from, to, typeOnly }) => PURE.includes(roomOf(from)) && !typeOnly && impure.test(to),
  )
  const used = sources
    .filter((file) => PURE.includes(roomOf(file)))
    .flatMap((file) =>
      (
        code(read(file)).match(
          /\b(process\.|Bun\.(?!hash\b|CryptoHasher\b|stringWidth\b)|Date\.now|new Date\(\)|performance\.|setTimeout|fetch\()/g,
        ) ?? []
      ).map((what) => `${file}: ${what}`),
    )
  expect([...imported.map(({ from, to }) => `${from}: ${to}`), ...used]).toEqual([])
})

function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

test('only the program and its settings read the environment', () => {
  const readers = sources.filter(
    (file) => !['main', 'config'].includes(roomOf(file)) && /process\.env/.test(code(read(file))),
  )
  expect(readers).toEqual([])
})

test('no file is longer than its readers can hold', () => {
  const long = sources
    .map((file) => [file, read(file).split('\n').length - 1] as const)
    .filter(([, lines]) => lines > MOST_LINES)
  expect(long).toEqual([])
})

test('names are exported from the file that has them', () => {
  const wrong = sources.filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && /^export (default|\*)/m.test(read(file)),
  )
  expect([...wrong, ...sources.filter((file) => /\/index\.ts$/.test(file))]).toEqual([])
})

describe('ARCHITECTURE.md', () => {
  const page = read('ARCHITECTURE.md')
  const named = [...page.matchAll(/`((?:src|test|bench|bin|profiles|examples|\.ci)(?:\/[\w.-]+)*\/?)`/g)].map(
    (found) => found[1] as string,
  )

  test('names paths that are there', () => {
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([])
  })

  test('names every room', () => {
    const rooms = [...new Set(sources.map(roomOf))].filter((room) => room !== 'main')
    expect(rooms.filter((room) => !named.some((name) => roomOf(name) === room))).toEqual([])
  })
})
