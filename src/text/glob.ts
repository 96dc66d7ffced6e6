import { VaultError } from '../errors.ts'

/**
 * Compiles a glob into a test of whole paths. `*` and `?` cross `/` (users of listings write `*.md` and mean every
 * folder), `**\/` stands for any folders or none, `[a-z]` and `[!a]` are classes, `{a,b}` alternatives, `\` quotes.
 * Matching costs at most pattern length × path length, whatever the pattern: expressions that backtrack, as the
 * usual libraries make them, can hang the server on `*a*a*a*a*b`.
 * @throws VaultError `bad_argument` for an unclosed class or brace
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const programs = alternatives(pattern).map((p) => parse(p, pattern))
  return (path) => programs.some((program) => matches(program, path))
}

type Step =
  | { kind: 'char'; char: string }
  | { kind: 'any' }
  | { kind: 'star' }
  | { kind: 'folders' }
  | { kind: 'class'; negated: boolean; ranges: [string, string][] }

const MOST_ALTERNATIVES = 256

function alternatives(pattern: string): string[] {
  const open = findUnquoted(pattern, '{', 0)
  if (open < 0) return [pattern]
  const { close, cuts } = braceEnd(pattern, open)
  const parts: string[] = []
  let from = open + 1
  for (const cut of [...cuts, close]) {
    parts.push(pattern.slice(from, cut))
    from = cut + 1
  }
  const out = parts.flatMap((part) => alternatives(pattern.slice(0, open) + part + pattern.slice(close + 1)))
  if (out.length > MOST_ALTERNATIVES) throw badGlob(pattern, `it has over ${MOST_ALTERNATIVES} alternatives`)
  return out
}

function braceEnd(pattern: string, open: number): { close: number; cuts: number[] } {
  const cuts: number[] = []
  let depth = 0
  for (let i = open; i < pattern.length; i++) {
    const c = pattern[i]
    if (c === '\\') i++
    else if (c === '{') depth++
    else if (c === '}' && --depth === 0) return { close: i, cuts }
    else if (c === ',' && depth === 1) cuts.push(i)
  }
  throw badGlob(pattern, 'a { is never closed')
}

function findUnquoted(pattern: string, wanted: string, from: number): number {
  for (let i = from; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++
    else if (pattern[i] === '[') i = classEnd(pattern, i, pattern)
    else if (pattern[i] === wanted) return i
  }
  return -1
}

function classEnd(pattern: string, open: number, whole: string): number {
  const first = pattern[open + 1] === '!' || pattern[open + 1] === '^' ? open + 2 : open + 1
  const close = pattern.indexOf(']', first + 1)
  if (close < 0) throw badGlob(whole, 'a [ is never closed')
  return close
}

function parse(pattern: string, whole: string): Step[] {
  const steps: Step[] = []
  for (let i = 0; i < pattern.length; ) {
    const c = pattern[i] as string
    if (c === '*' && pattern.startsWith('**/', i) && (i === 0 || pattern[i - 1] === '/')) {
      if (steps.at(-1)?.kind !== 'folders') steps.push({ kind: 'folders' })
      i += 3
    } else if (c === '*') {
      if (steps.at(-1)?.kind !== 'star') steps.push({ kind: 'star' })
      i++
    } else if (c === '?') {
      steps.push({ kind: 'any' })
      i++
    } else if (c === '[') {
      const close = classEnd(pattern, i, whole)
      steps.push(parseClass(pattern.slice(i + 1, close)))
      i = close + 1
    } else {
      const quoted = c === '\\' && i + 1 < pattern.length
      steps.push({ kind: 'char', char: quoted ? (pattern[i + 1] as string) : c })
      i += quoted ? 2 : 1
    }
  }
  return steps
}

function parseClass(inside: string): Step {
  const negated = inside[0] === '!' || inside[0] === '^'
  const chars = negated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let i = 0; i < chars.length; i++) {
    const low = chars[i] as string
    const high = chars[i + 1] === '-' ? chars[i + 2] : undefined
    if (high === undefined) ranges.push([low, low])
    else {
      ranges.push([low, high])
      i += 2
    }
  }
  return { kind: 'class', negated, ranges }
}

/** Walks the steps once, carrying the set of positions that the steps so far can end at. */
function matches(steps: readonly Step[], path: string): boolean {
  const n = path.length
  let at = new Uint8Array(n + 1)
  at[0] = 1
  for (const step of steps) {
    const next = new Uint8Array(n + 1)
    if (step.kind === 'star') {
      let reached = false
      for (let i = 0; i <= n; i++) {
        reached ||= at[i] === 1
        if (reached) next[i] = 1
      }
    } else if (step.kind === 'folders') {
      let reached = false
      for (let i = 0; i <= n; i++) {
        if (at[i] === 1 || (reached && path[i - 1] === '/')) next[i] = 1
        reached ||= at[i] === 1
      }
    } else {
      let any = false
      for (let i = 0; i < n; i++) {
        if (at[i] === 1 && stepTakes(step, path[i] as string)) {
          next[i + 1] = 1
          any = true
        }
      }
      if (!any) return false
    }
    at = next
  }
  return at[n] === 1
}

function stepTakes(step: Step, char: string): boolean {
  if (step.kind === 'char') return step.char === char
  if (step.kind === 'any') return true
  if (step.kind !== 'class') return false
  return step.ranges.some(([low, high]) => char >= low && char <= high) !== step.negated
}

function badGlob(pattern: string, why: string): VaultError {
  return new VaultError('bad_argument', `The glob ${JSON.stringify(pattern)} cannot be read: ${why}.`, {
    hint: 'Use * for any text, **/ for any folders, [abc] for one of several characters; quote a literal [ or { with \\.',
  })
}
