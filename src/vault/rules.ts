import ignore, { type Ignore } from 'ignore'
import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { compileGlob } from '../text/glob.ts'

/**
 * - `hidden`: a segment begins with a dot and no rule says more; such folders belong to programs
 * - `denied`: closed by a folder rule: answered as if it were not there
 * - `excluded`: matched by an ignore pattern
 */
export type Verdict = 'visible' | 'hidden' | 'denied' | 'excluded'

export interface RuleSources {
  /** Globs from the vault's root: the configuration's and the lines of `.obsidian-mcp/ignore`. */
  readonly exclude?: readonly string[]
  /** The text of `.knapignore` at the root (gitignore syntax). */
  readonly knapignore?: string | undefined
  /** gitignore patterns: with any of these, nothing else is visible. */
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  /** gitignore patterns: with any of these, nothing else is writable. */
  readonly write?: readonly string[]
}

/** What may be seen and what may be changed: the one gate that listing, search, graph, suggestions and edits ask. */
export interface Rules {
  /** `path` is a file's, or a folder's with `folder: true`. */
  verdict(path: VaultPath, options?: { readonly folder?: boolean }): Verdict
  mayWrite(path: VaultPath): boolean
  /** Is anything but dot-files kept out? */
  readonly hidesSome: boolean
  /** Is this folder shown even where nothing visible lies in it? Where only some paths are allowed, the others are not. */
  listsEmpty(folder: VaultPath): boolean
}

export function createRules(sources: RuleSources): Rules {
  const exclude = (sources.exclude ?? []).map(compileExclude)
  const ignored = gitignore(gitignoreLines(sources.knapignore))
  const allow = gitignore((sources.allow ?? []).map(withoutComment))
  const deny = gitignore((sources.deny ?? []).map(withoutComment))
  const write = gitignore((sources.write ?? []).map(withoutComment))
  const cache = new Map<VaultPath, Verdict>()

  function folderVerdict(folder: VaultPath): Verdict {
    if (folder === '') return 'visible'
    let found = cache.get(folder)
    if (found === undefined) {
      if (cache.size > 20_000) cache.clear()
      found = judge(folder, true)
      cache.set(folder, found)
    }
    return found
  }

  function judge(path: VaultPath, folder: boolean): Verdict {
    const slash = path.lastIndexOf('/')
    const above = folderVerdict(slash < 0 ? '' : path.slice(0, slash))
    if (above === 'denied' || above === 'excluded') return above
    if (deny?.ignores(folder ? `${path}/` : path)) return 'denied'
    if (allow && !folder && !allow.ignores(path)) return 'denied'
    if (exclude.some((is) => is(path, folder)) || ignored?.ignores(folder ? `${path}/` : path))
      return 'excluded'
    return above === 'hidden' || path[slash + 1] === '.' ? 'hidden' : 'visible'
  }

  return {
    verdict: (path, options) =>
      path === '' ? 'visible' : options?.folder ? folderVerdict(path) : judge(path, false),
    hidesSome: exclude.length > 0 || [ignored, allow, deny].some((rule) => rule !== undefined),
    mayWrite: (path) => write === undefined || write.ignores(path),
    listsEmpty: (folder) => allow === undefined || folder === '' || allow.ignores(`${folder}/`),
  }
}

/** `Archive/` and `Archive/**` mean the folder with all that is in it; any pattern that fits a folder closes it whole. */
function compileExclude(pattern: string): (path: VaultPath, folder: boolean) => boolean {
  const plain = pattern.replace(/^\.?\//, '')
  const below = plain.endsWith('/')
    ? plain.slice(0, -1)
    : plain.endsWith('/**')
      ? plain.slice(0, -3)
      : undefined
  if (below === undefined) {
    const is = compileGlob(plain)
    return (path) => is(path)
  }
  const is = compileGlob(below)
  const inside = compileGlob(`${below}/**`)
  return (path, folder) => (folder && is(path)) || inside(path)
}

/** The patterns of a file in gitignore syntax, without blank lines and comments. */
export function gitignoreLines(text: string | undefined): string[] {
  return (text ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** A setting holds no comments: a rule for `#private/` must not be passed over. */
function withoutComment(pattern: string): string {
  return pattern.replace(/^\s*#/, '\\#')
}

function gitignore(patterns: readonly string[]): Ignore | undefined {
  const lines = patterns.map((p) => p.trim()).filter((p) => p !== '')
  return lines.length === 0 ? undefined : ignore({ allowRelativePaths: true }).add(lines)
}

/**
 * The patterns of an ignore file: one a line, blanks around them and empty lines ignored, `#` comments.
 * @throws VaultError `bad_argument` that names the file and the line
 */
export function readIgnoreLines(text: string, file: string): string[] {
  const patterns: string[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const pattern = line.trim()
    if (pattern === '' || pattern.startsWith('#')) continue
    try {
      compileExclude(pattern)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new VaultError('bad_argument', `${file}, line ${index + 1}: ${why}`, {
        hint: `Mend or remove that line of ${file}, then start again.`,
      })
    }
    patterns.push(pattern)
  }
  return patterns
}
