import { VaultError } from '../errors.ts'
import { pathKey } from '../note/path.ts'
import { toInstant } from '../search/values.ts'
import { type Condition, compileWhere, matchTag } from '../search/where.ts'
import type { FileRecord } from './catalogue.ts'
import { readFilterPath } from './paths.ts'

/** The filters that searches share; all that are given must hold. */
export interface Filters {
  /** A folder (with all below it) or one note. */
  readonly path?: string | undefined
  readonly tag?: string | undefined
  readonly where?: readonly Condition[] | undefined
  /** ISO 8601 dates or times; a date begins at midnight UTC. */
  readonly modified_after?: string | undefined
  readonly modified_before?: string | undefined
}

/** @returns a test of files, or null where nothing is filtered @throws VaultError `bad_argument`, `bad_path`, `outside_vault` */
export function compileFilters(filters: Filters): ((file: FileRecord) => boolean) | null {
  const tests: ((file: FileRecord) => boolean)[] = []
  const { path, tag, where, modified_after, modified_before } = filters
  if (path !== undefined) tests.push(underPath(path))
  if (tag !== undefined) tests.push(({ facts }) => facts !== null && matchTag(facts, tag))
  if (where !== undefined && where.length > 0) {
    const holds = compileWhere(where)
    tests.push((file) => file.facts !== null && holds(file.facts, file))
  }
  if (modified_after !== undefined) {
    const from = instant('modified_after', modified_after)
    tests.push(({ mtimeMs }) => mtimeMs >= from)
  }
  if (modified_before !== undefined) {
    const to = instant('modified_before', modified_before)
    tests.push(({ mtimeMs }) => mtimeMs < to)
  }
  return tests.length === 0 ? null : (file) => tests.every((test) => test(file))
}

/** `Folder`, `Folder/`, `Folder/Note`, in any case: a filter that is spelled otherwise must not hide what is there. */
function underPath(given: string): (file: FileRecord) => boolean {
  const wanted = pathKey(readFilterPath(given))
  if (wanted === '') return () => true
  return ({ path }) => {
    const key = pathKey(path)
    return key === wanted || key === `${wanted}.md` || key.startsWith(`${wanted}/`)
  }
}

function instant(name: string, text: string): number {
  const found = toInstant(text)
  if (found !== null) return found
  throw new VaultError('bad_argument', `${name}: ${JSON.stringify(text)} is no date.`, {
    hint: 'Give a date such as 2026-03-01 or a time such as 2026-03-01T12:00:00Z.',
  })
}
