import { VaultError } from '../errors.ts'
import type { FieldName } from '../index/fields.ts'
import { bodyStartOf, scanFrontmatter } from '../note/frontmatter.ts'
import type { Heading, NoteFacts } from '../note/note.ts'
import { parseNote } from '../note/parse.ts'
import { isNotePath, type VaultPath } from '../note/path.ts'
import { type Passage, passages } from '../search/passages.ts'
import type { Query } from '../search/query_tree.ts'
import { fittingPaths, type PathTest, searchText, type TextHit, type TextHits } from '../search/search.ts'
import { compileWhere, matchTag } from '../search/where.ts'
import type { FileRecord } from './catalogue.ts'
import { compileFilters, type Filters } from './filters.ts'
import type { ReadNote, Vault } from './vault.ts'

export interface NoteSearch extends Filters {
  readonly query: string
  readonly fuzzy?: boolean | undefined
  readonly fields?: readonly FieldName[] | undefined
  readonly limit: number
  readonly offset?: number | undefined
  readonly explain?: boolean | undefined
  /** Only these of the notes that fit the filters. */
  readonly only?: PathTest | undefined
}

/** Full-text search over a vault's notes, ranked; passages are read separately for those that are shown. */
export async function searchNotes(vault: Vault, search: NoteSearch): Promise<TextHits> {
  const tests = [noteTest(vault, search), search.only ?? null, presence(vault)].filter((t) => t !== null)
  return searchText(vault.index, search.query, {
    ...syntaxFilters(vault),
    fuzzy: search.fuzzy,
    fields: search.fields,
    filter: tests.length === 0 ? undefined : (path) => tests.every((holds) => holds(path)),
    demote: await vault.appExcluded.test(),
    limit: search.limit,
    offset: search.offset,
    explain: search.explain,
  })
}

/** Files that were not there at the last look are no hits, however long it takes until they count as gone. */
function presence({ sync }: Vault): PathTest | null {
  return sync.status.awaitingConfirmation === 0 ? null : (path) => !sync.isMissing(path)
}

/** A test of paths by the filters; null where nothing is filtered. @throws VaultError `bad_argument` */
export function noteTest(vault: Vault, filters: Filters): PathTest | null {
  const fits = compileFilters(filters)
  return fits === null ? null : ofFile(vault, fits)
}

/** The notes that a part of a question leaves, by the same filters as a search. */
export function fittingNotes(vault: Vault, query: Query): Set<VaultPath> {
  return fittingPaths(vault.index, query, syntaxFilters(vault))
}

function syntaxFilters(vault: Vault) {
  return {
    tagFilter: (tag: string) => ofFile(vault, ({ facts }) => facts !== null && matchTag(facts, tag)),
    pathFilter: (path: string) => ofFile(vault, pathTest(path)),
    propertyFilter: (property: string, value: string) => ofFile(vault, propertyTest(property, value)),
  }
}

function ofFile(vault: Vault, test: (file: FileRecord) => boolean): PathTest {
  return (path) => {
    const file = vault.catalogue.get(path)
    return file !== undefined && test(file)
  }
}

type FileTest = (file: FileRecord) => boolean

/** What is no path of the vault holds nowhere: a question is never an error. */
function pathTest(path: string): FileTest {
  return orNowhere(() => compileFilters({ path }) ?? (() => true))
}

/** `[status:done]` is a value or an element of a list, `[status]` any value at all; what cannot be read holds nowhere. */
function propertyTest(property: string, value: string): FileTest {
  return orNowhere(() => {
    const conditions =
      value === '' ? { field: property, operator: 'exists' as const } : { field: property, value }
    const holds = compileWhere([conditions])
    return (file) => file.facts !== null && holds(file.facts, file)
  })
}

function orNowhere(compile: () => FileTest): FileTest {
  try {
    return compile()
  } catch (error) {
    if (error instanceof VaultError) return () => false
    throw error
  }
}

/** The best passages of a hit, read from the file as it is now; none where it cannot be read any more. */
export async function passagesOf(
  vault: Vault,
  hit: TextHit,
  { contextLength, max }: { readonly contextLength: number; readonly max: number },
): Promise<readonly Passage[]> {
  const note = await readIfThere(vault, hit.path)
  if (note === null) return []
  const { text, revision } = note
  const file = vault.file(hit.path)
  const isKnown = file?.revision === revision && file.facts !== null
  const headings = isKnown ? placeHeadings(text, file.facts.headings) : headingsIn(note)
  const bodyStart = isKnown ? bodyStartOf(text, file.facts.frontmatterKind) : scanFrontmatter(text).bodyStart
  return passages({ text, bodyStart, headings }, hit.matched, { contextLength, max })
}

function headingsIn({ path, text }: ReadNote): readonly HeadingPlace[] {
  return isNotePath(path) ? parseNote(text).headings : []
}

type HeadingPlace = Pick<Heading, 'text' | 'range' | 'section' | 'parent'>

/** Where the headings that the catalogue knows stand: cheaper than parsing each note that a search shows. */
function placeHeadings(text: string, headings: NoteFacts['headings']): HeadingPlace[] {
  const open: { index: number; level: number }[] = []
  const out: {
    text: string
    parent: number
    range: { start: number; end: number }
    section: { start: number; end: number }
  }[] = []
  let line = 1
  let at = 0
  for (const heading of headings) {
    for (; line < heading.line && at >= 0; line++) at = text.indexOf('\n', at) + 1 || text.length
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= heading.level) {
      const closed = out[open.pop()?.index ?? -1]
      if (closed) closed.section.end = at
    }
    const end = text.indexOf('\n', at)
    out.push({
      text: heading.text,
      parent: open.at(-1)?.index ?? -1,
      range: { start: at, end: end < 0 ? text.length : end },
      section: { start: at, end: text.length },
    })
    open.push({ index: out.length - 1, level: heading.level })
  }
  return out
}

async function readIfThere(vault: Vault, path: VaultPath): Promise<ReadNote | null> {
  try {
    return await vault.read(path)
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}
