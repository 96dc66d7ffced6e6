/** The part of the package that is used. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream'

  export interface Entry {
    readonly fileName: string
    /** Bytes in the archive, and bytes that they become. */
    readonly compressedSize: number
    readonly uncompressedSize: number
    readonly crc32: number
    readonly compressionMethod: number
    /** Its upper half holds the mode where the archive was made on Unix. */
    readonly externalFileAttributes: number
    isEncrypted(): boolean
  }

  export interface ZipFile {
    readonly entryCount: number
    eachEntry(): AsyncIterableIterator<Entry>
    openReadStreamPromise(entry: Entry): Promise<Readable>
    close(): void
  }

  export function openPromise(path: string, options: { autoClose: false }): Promise<ZipFile>
}
