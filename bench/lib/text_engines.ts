import { Database } from 'bun:sqlite'
import MiniSearch from 'minisearch'
import { analyse } from '../../src/index/analyse.ts'
import { buildSegment } from '../../src/index/segment_writer.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import type { IndexDocument } from '../../src/note/note.ts'
import { searchText } from '../../src/search/search.ts'

/** A kind of question: words are always plain words. */
export type Kind = 'word' | 'common word' | 'three words' | 'phrase' | 'prefix' | 'fuzzy'

/** What each engine is asked to do; times are taken around these calls. */
export interface Engine {
  build(docs: readonly IndexDocument[]): void
  save(): Uint8Array
  load(bytes: Uint8Array): void
  put(doc: IndexDocument): void
  /** At most 20 hits, best first; the number of hits that came back. */
  search(kind: Kind, words: readonly string[]): number
}

export const ENGINES: Readonly<Record<string, () => Engine>> = { knap, fts5, minisearch }

function knap(): Engine {
  let index = new TextIndex()
  return {
    build(docs) {
      index.addSegment(buildSegment(docs))
    },
    save: () => index.encode(),
    load(bytes) {
      index = TextIndex.decode(bytes)
    },
    put: (doc) => index.put(doc),
    search(kind, words) {
      const text = words.join(' ')
      if (kind === 'phrase') return searchText(index, `"${text}"`).hits.length
      if (kind === 'prefix') return searchText(index, `${text}*`).hits.length
      return searchText(index, text, { fuzzy: kind === 'fuzzy' }).hits.length
    },
  }
}

/** Splitting alone, without building anything: to be taken off {@link knap}'s build. */
export function analyseAll(docs: readonly IndexDocument[]): number {
  let tokens = 0
  for (const doc of docs) analyse(doc, () => tokens++)
  return tokens
}

function fts5(): Engine {
  let db = new Database(':memory:')
  db.run('CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, title, headings, tags, frontmatter, body)')
  const values = ({ path, title, headings, tags, frontmatter, body }: IndexDocument) => [
    path,
    title,
    headings.join('\n'),
    tags.join(' '),
    frontmatter,
    body,
  ]
  const insert = () => db.prepare('INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?)')
  return {
    build(docs) {
      const add = insert()
      db.transaction(() => {
        for (const doc of docs) add.run(...values(doc))
      })()
    },
    save: () => db.serialize(),
    load(bytes) {
      db = Database.deserialize(bytes)
    },
    put(doc) {
      db.prepare('DELETE FROM notes WHERE path = ?').run(doc.path)
      insert().run(...values(doc))
    },
    search(kind, words) {
      const quoted = words.map((word) => `"${word.replaceAll('"', '')}"`)
      const match =
        kind === 'phrase' ? `"${words.join(' ')}"` : quoted.join(' OR ') + (kind === 'prefix' ? '*' : '')
      const sql = 'SELECT path FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 0, 5, 3, 4, 2, 1) LIMIT 20'
      return db.prepare(sql).all(match).length
    },
  }
}

function minisearch(): Engine {
  const options = {
    idField: 'path',
    fields: ['title', 'headings', 'tags', 'frontmatter', 'body'],
    searchOptions: { boost: { title: 5, headings: 3, tags: 4, frontmatter: 2 } },
    extractField: (doc: IndexDocument, field: string) => {
      const value = doc[field as keyof IndexDocument]
      return typeof value === 'object' ? value.join(' ') : String(value)
    },
  }
  let index = new MiniSearch<IndexDocument>(options)
  return {
    build: (docs) => index.addAll(docs),
    save: () => new TextEncoder().encode(JSON.stringify(index)),
    load(bytes) {
      index = MiniSearch.loadJSON(new TextDecoder().decode(bytes), options)
    },
    put(doc) {
      if (index.has(doc.path)) index.discard(doc.path)
      index.add(doc)
    },
    // It knows no phrases: it is asked for the words.
    search: (kind, words) =>
      index
        .search(words.join(' '), { prefix: kind === 'prefix', fuzzy: kind === 'fuzzy' ? 0.2 : false })
        .slice(0, 20).length,
  }
}
