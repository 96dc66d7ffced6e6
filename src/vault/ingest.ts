import type { VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'
import { readFrames } from './frames.ts'
import type { IngestRequest } from './ingest_child.ts'
import type { Ingested } from './ingest_note.ts'
import { selfCommand } from './self.ts'

export interface IngestFailure {
  readonly path: VaultPath
  /** errno of the operating system or one of our codes. */
  readonly code: string
}

export interface IngestBatch {
  readonly notes: readonly Ingested[]
  readonly failures: readonly IngestFailure[]
  /** A finished segment (its notes came with this batch or earlier ones), or null. */
  readonly segment: Uint8Array | null
}

export interface IngestJob {
  readonly storage: Storage
  /** The absolute folder of a local vault: children then read the files themselves. */
  readonly root: string | null
  readonly paths: readonly { readonly path: VaultPath; readonly mtimeMs: number }[]
  readonly onBatch: (batch: IngestBatch) => Promise<void> | void
  readonly signal: AbortSignal
  /** @see TextIndex.languages */
  readonly languages: number | null
}

const BATCH_NOTES = 200

/**
 * A child lives for seconds: the engine's slowest compiler and a second marking thread cost it a quarter more
 * processor time than they bring (measured on 32 MB of notes).
 */
const SHORT_LIVED = { BUN_JSC_useFTLJIT: '0', BUN_JSC_numberOfGCMarkers: '1' }

/**
 * Indexes many notes in child processes (as many as there are cores to spare, at most two), batch by batch.
 * @throws Error when a child ends before its work is done; batches delivered before stay delivered
 */
export async function ingestInChildren(job: IngestJob): Promise<void> {
  const batches: IngestJob['paths'][] = []
  for (let i = 0; i < job.paths.length; i += BATCH_NOTES) batches.push(job.paths.slice(i, i + BATCH_NOTES))
  const children = Math.min(2, Math.max(1, navigator.hardwareConcurrency), batches.length)
  // One child begins at each end: notes that stand together share their words, and each word is analysed in one child.
  const takes = [() => batches.shift(), () => batches.pop()].slice(0, children)
  await Promise.all(takes.map((take) => runChild(job, take)))
}

async function runChild(job: IngestJob, take: () => IngestJob['paths'] | undefined): Promise<void> {
  const child = Bun.spawn([...selfCommand(), '__ingest'], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    cwd: '/',
    env: SHORT_LIVED,
  })
  const kill = () => child.kill()
  job.signal.addEventListener('abort', kill, { once: true })
  let inFlight = 0
  let flushed = false
  const feed = async () => {
    if (flushed) return
    const paths = take()
    flushed = paths === undefined
    const { notes, failures } = await contents(job, paths ?? [])
    if (failures.length > 0) await job.onBatch({ notes: [], failures, segment: null })
    const request: IngestRequest = { root: job.root, notes, flush: flushed, languages: job.languages }
    inFlight++
    child.stdin.write(`${JSON.stringify(request)}\n`)
    child.stdin.flush()
    if (flushed) child.stdin.end()
  }
  try {
    // Two requests in flight: the child never waits for the next one.
    await feed()
    await feed()
    for await (const { head, bytes } of readFrames(child.stdout)) {
      inFlight--
      const { notes, failures } = head as Pick<IngestBatch, 'notes' | 'failures'>
      await job.onBatch({ notes, failures, segment: bytes.length > 0 ? bytes : null })
      await feed()
    }
    const code = await child.exited
    if (!job.signal.aborted && (code !== 0 || inFlight > 0)) {
      throw new Error(`the indexing child ended early (exit code ${code})`)
    }
  } finally {
    job.signal.removeEventListener('abort', kill)
    child.kill()
  }
}

interface Contents {
  readonly notes: IngestRequest['notes']
  readonly failures: readonly IngestFailure[]
}

/** What a child is sent: names where it reads the files itself, else the files. */
async function contents(job: IngestJob, paths: IngestJob['paths']): Promise<Contents> {
  if (job.root !== null) return { notes: paths.map(({ path }) => ({ path })), failures: [] }
  const failures: IngestFailure[] = []
  const read = paths.map(async ({ path, mtimeMs }) => {
    try {
      return { path, mtimeMs, base64: Buffer.from(await job.storage.read(path)).toString('base64') }
    } catch (error) {
      failures.push({ path, code: (error as { code?: string }).code ?? 'unavailable' })
      return null
    }
  })
  const notes = (await Promise.all(read)).filter((n) => n !== null)
  return { notes, failures }
}
