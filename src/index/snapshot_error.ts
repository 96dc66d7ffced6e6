/**
 * - `truncated`: shorter than its header says
 * - `foreign`: not an index at all
 * - `version`: an index of another format
 * - `semantics`: the format is right, but notes were read by other rules then
 * - `checksum`: bytes have changed since it was written
 */
export type SnapshotFault = 'truncated' | 'foreign' | 'version' | 'semantics' | 'checksum'

/** Bytes of an index that cannot be used: the index is derived data, so the right answer is to build it anew. */
export class SnapshotError extends Error {
  readonly reason: SnapshotFault

  constructor(reason: SnapshotFault, why: string) {
    super(`The saved index cannot be used: ${why}.`)
    this.name = 'SnapshotError'
    this.reason = reason
  }
}
