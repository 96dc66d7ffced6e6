import type { Fragment } from './fragments.ts'

/** A fragment without its text, as it is kept: page, headings, and where its text lies. */
type Row = readonly [page: number, id: string, headings: readonly string[], start: number, end: number]

type PageRow = readonly [path: string, title: string, aliases: readonly string[]]

export interface TableRows {
  readonly pages: readonly PageRow[]
  readonly rows: readonly Row[]
}

/** The fragments of a corpus. Their texts stay bytes (UTF-8, end to end) until one is shown. */
export class FragmentTable {
  readonly rows: TableRows
  readonly texts: Uint8Array
  readonly #byId: Map<string, Row>

  constructor(rows: TableRows, texts: Uint8Array) {
    this.rows = rows
    this.texts = texts
    this.#byId = new Map(rows.rows.map((row) => [row[1], row]))
  }

  get size(): number {
    return this.rows.rows.length
  }

  get pageCount(): number {
    return this.rows.pages.length
  }

  get(id: string): Fragment | undefined {
    const row = this.#byId.get(id)
    return row === undefined ? undefined : this.#fragment(row)
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  /** Page by page. */
  *all(): Generator<Fragment> {
    for (const row of this.rows.rows) yield this.#fragment(row)
  }

  #fragment([page, id, headings, start, end]: Row): Fragment {
    const [path, title, aliases] = this.rows.pages[page] as PageRow
    return {
      id,
      path,
      title,
      aliases,
      headings,
      text: new TextDecoder().decode(this.texts.subarray(start, end)),
    }
  }
}

/** Collects fragments page by page. */
export class FragmentWriter {
  readonly #pages: PageRow[] = []
  readonly #rows: Row[] = []
  readonly #texts: Uint8Array[] = []
  #length = 0

  /** The fragments of one page, in their order. */
  add(fragments: readonly Fragment[]): void {
    const [first] = fragments
    if (first === undefined) return
    const page = this.#pages.push([first.path, first.title, first.aliases]) - 1
    for (const { id, headings, text } of fragments) {
      const bytes = new TextEncoder().encode(text)
      this.#rows.push([page, id, headings, this.#length, this.#length + bytes.length])
      this.#texts.push(bytes)
      this.#length += bytes.length
    }
  }

  finish(): FragmentTable {
    return new FragmentTable({ pages: this.#pages, rows: this.#rows }, Buffer.concat(this.#texts))
  }
}
