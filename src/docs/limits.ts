/** What a source may cost; more than that is a mistake or an attack, and its index stays as it was. */
export interface Limits {
  /** Bytes of a download. */
  readonly downloadBytes: number
  /** Bytes of one page, unpacked. */
  readonly entryBytes: number
  /** Bytes of all pages together, unpacked. */
  readonly totalBytes: number
  /** Files of an archive or a folder, pages or not. */
  readonly entries: number
  /** Fragments that all pages are cut into. */
  readonly fragments: number
  /** How often larger a file of more than {@link Limits.ratioFrom} bytes may be than its packed form. */
  readonly ratio: number
  readonly ratioFrom: number
  /** For headers and body of a download together (ms). */
  readonly downloadMs: number
  readonly redirects: number
}

const MB = 1024 * 1024

/** Text packs three to five times, tables ten times; a bomb of zeros packs a thousand times. */
export const LIMITS: Limits = {
  downloadBytes: 200 * MB,
  entryBytes: 5 * MB,
  totalBytes: 400 * MB,
  entries: 20_000,
  fragments: 500_000,
  ratio: 100,
  ratioFrom: 64 * 1024,
  downloadMs: 5 * 60_000,
  redirects: 5,
}
