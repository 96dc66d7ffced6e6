import { type FileKind, kindOf } from '../note/kinds.ts'
import type { NoteFacts } from '../note/note.ts'
import { folderOf, type VaultPath } from '../note/path.ts'
import type { Entry } from '../storage/storage.ts'
import { byCodePoint } from '../text/order.ts'
import { Graph } from './graph.ts'
import type { Ingested } from './ingest_note.ts'
import { NameIndex } from './names.ts'
import type { PathLookup } from './paths.ts'

/** One visible file. */
export interface FileRecord {
  readonly path: VaultPath
  readonly kind: FileKind
  /** Bytes. */
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** Of the bytes that `facts` were read from; null for what is not read. */
  readonly revision: string | null
  /** Are `facts` known? Costs nothing, where `facts` of a file from a snapshot are decoded at their first use. */
  readonly isRead: boolean
  readonly facts: NoteFacts | null
  /** `facts` as UTF-8 JSON, null where there are none. */
  encodedFacts(): Uint8Array | null
}

type FileFields = Pick<FileRecord, 'path' | 'size' | 'mtimeMs' | 'ctimeMs' | 'revision'>

class CatalogueFile implements FileRecord {
  readonly path: VaultPath
  readonly kind: FileKind
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly revision: string | null
  #facts: NoteFacts | Uint8Array | null

  constructor({ path, size, mtimeMs, ctimeMs, revision }: FileFields, facts: NoteFacts | Uint8Array | null) {
    this.path = path
    this.kind = kindOf(path)
    this.size = size
    this.mtimeMs = mtimeMs
    this.ctimeMs = ctimeMs
    this.revision = revision
    this.#facts = facts
  }

  get isRead(): boolean {
    return this.#facts !== null
  }

  get facts(): NoteFacts | null {
    if (this.#facts instanceof Uint8Array) this.#facts = JSON.parse(decoder.decode(this.#facts)) as NoteFacts
    return this.#facts
  }

  encodedFacts(): Uint8Array | null {
    if (this.#facts === null || this.#facts instanceof Uint8Array) return this.#facts
    return encoder.encode(JSON.stringify(this.#facts))
  }

  /** The same content with other size and times. */
  restat({ size, mtimeMs, ctimeMs }: Entry): CatalogueFile {
    return new CatalogueFile(
      { path: this.path, size, mtimeMs, ctimeMs, revision: this.revision },
      this.#facts,
    )
  }
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * The visible files of one vault and what the notes among them say: names, metadata, graph.
 * Derived data: the files stay the truth.
 */
export class Catalogue implements PathLookup {
  readonly names = new NameIndex()
  readonly #graph = new Graph(this.names)
  /** Files whose links the graph has not taken yet: a start from a snapshot leaves them until somebody asks. */
  readonly #ungraphed = new Set<VaultPath>()
  /** Notes that ignore patterns keep out. */
  excludedNotes = 0
  /** Visible notes, and those among them whose text is known. */
  noteCount = 0
  readCount = 0
  readonly #files = new Map<VaultPath, CatalogueFile>()
  readonly #folders = new Map<VaultPath, Entry>()
  #sorted: FileRecord[] | null = null

  get(path: VaultPath): FileRecord | undefined {
    return this.#files.get(path)
  }

  kindAt(path: VaultPath): 'file' | 'folder' | null {
    if (this.#files.has(path)) return 'file'
    return path === '' || this.#folders.has(path) ? 'folder' : null
  }

  loose(path: VaultPath): VaultPath[] {
    return this.names.loose(path)
  }

  nearest(path: VaultPath): VaultPath[] {
    return this.names.nearest(path, 5)
  }

  /** Every visible file, in code-point order of paths. */
  files(): readonly FileRecord[] {
    this.#sorted ??= [...this.#files.values()].sort((a, b) => byCodePoint(a.path, b.path))
    return this.#sorted
  }

  notes(): FileRecord[] {
    return this.files().filter((f) => f.kind === 'note')
  }

  folders(): Iterable<Entry> {
    return this.#folders.values()
  }

  /** The visible files and folders directly in `folder`, or anywhere below it. */
  below(folder: VaultPath): { files: FileRecord[]; folders: Entry[] } {
    const prefix = folder === '' ? '' : `${folder}/`
    return {
      files: this.files().filter((f) => f.path.startsWith(prefix)),
      folders: [...this.#folders.values()].filter((f) => f.path.startsWith(prefix)),
    }
  }

  putFolder(entry: Entry): void {
    this.names.addFolder(entry.path)
    this.#folders.set(entry.path, entry)
  }

  removeFolder(path: VaultPath): void {
    if (this.#folders.delete(path)) this.names.remove(path)
  }

  get graph(): Graph {
    for (const path of this.#ungraphed) {
      const facts = this.#files.get(path)?.facts
      if (facts) this.#graph.set(path, facts)
    }
    this.#ungraphed.clear()
    return this.#graph
  }

  /** Takes note of a file's size and times; what it says stays as known until {@link setFacts}. */
  putFile(entry: Entry): void {
    const before = this.#files.get(entry.path)
    if (before) {
      this.#set(before.restat(entry))
      return
    }
    const { path, size, mtimeMs, ctimeMs } = entry
    this.#set(new CatalogueFile({ path, size, mtimeMs, ctimeMs, revision: null }, null))
    this.names.addFile(path)
    this.#putParents(path)
  }

  setFacts({ path, revision, size, mtimeMs, facts }: Ingested): void {
    const before = this.#files.get(path)
    if (!before) return
    this.#set(new CatalogueFile({ path, revision, size, mtimeMs, ctimeMs: before.ctimeMs }, facts))
    this.#ungraphed.delete(path)
    this.#graph.set(path, facts)
  }

  /** A file as a snapshot knew it. */
  restore(fields: FileFields, encodedFacts: Uint8Array | null): void {
    this.#set(new CatalogueFile(fields, encodedFacts))
    this.names.addFile(fields.path)
    this.#putParents(fields.path)
    if (encodedFacts !== null) this.#ungraphed.add(fields.path)
  }

  removeFile(path: VaultPath): boolean {
    const before = this.#files.get(path)
    if (before === undefined) return false
    this.#files.delete(path)
    this.#count(before, -1)
    this.#sorted = null
    this.names.remove(path)
    this.#ungraphed.delete(path)
    this.#graph.delete(path)
    return true
  }

  get fileCount(): number {
    return this.#files.size
  }

  #count({ kind, isRead }: FileRecord, change: 1 | -1): void {
    if (kind !== 'note') return
    this.noteCount += change
    if (isRead) this.readCount += change
  }

  #set(record: CatalogueFile): void {
    const before = this.#files.get(record.path)
    if (before) this.#count(before, -1)
    this.#count(record, 1)
    this.#files.set(record.path, record)
    this.#sorted = null
  }

  /** A file written by us may stand in a folder that no listing has shown yet. */
  #putParents(path: VaultPath): void {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      if (this.#folders.has(folder)) return
      this.putFolder({ path: folder, kind: 'folder', size: 0, mtimeMs: 0, ctimeMs: 0 })
    }
  }
}
