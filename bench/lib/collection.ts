import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Doc {
  readonly id: string
  readonly title: string
  readonly text: string
  /** The text is a whole Markdown file already. */
  readonly raw?: boolean
}

/** Documents, questions and judged answers: what search quality is measured with. */
export interface Collection {
  readonly name: string
  readonly docs: readonly Doc[]
  readonly queries: readonly { readonly id: string; readonly query: string }[]
  /** By question: the grade of each relevant document, above 0. */
  readonly judged: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Names of the collections in a folder, sorted. */
export function collectionNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, DOCS)))
    .sort()
}

const DOCS = 'docs.jsonl.gz'

/** @param split `''`, or the prefix of other questions over the same documents (`train`, `withsource`) */
export function readCollection(folder: string, name: string, split = ''): Collection {
  const at = join(folder, name)
  const prefix = split !== '' && existsSync(join(at, `${split}.queries.jsonl`)) ? `${split}.` : ''
  const unpacked = Bun.gunzipSync(readFileSync(join(at, DOCS)))
  return {
    name,
    docs: jsonLines(new TextDecoder().decode(unpacked)),
    queries: jsonLines(readFileSync(join(at, `${prefix}queries.jsonl`), 'utf8')),
    judged: judgements(readFileSync(join(at, `${prefix}qrels.tsv`), 'utf8')),
  }
}

/** The note that a document becomes; its file is named by its id. */
export function noteOf({ title, text, raw }: Doc): string {
  return raw === true ? text : `# ${title}\n\n${text}\n`
}

function jsonLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

function judgements(text: string): Map<string, Map<string, number>> {
  const judged = new Map<string, Map<string, number>>()
  for (const line of text.split('\n')) {
    const [query, doc, grade] = line.split('\t')
    if (query === undefined || doc === undefined || !(Number(grade) > 0)) continue
    const grades = judged.get(query) ?? new Map<string, number>()
    judged.set(query, grades.set(doc, Number(grade)))
  }
  return judged
}
