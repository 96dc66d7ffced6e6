import { join } from 'node:path'
import { type Disk, errnoOf, nodeDisk, syncFolder } from '../storage/disk.ts'
import { ensureDataFolder } from '../storage/make_folders.ts'
import { createFile } from '../storage/place_file.ts'
import type { Storage } from '../storage/storage.ts'
import type { Locks } from './lock.ts'
import { isRunning, ownIdentity, type ProcessIdentity } from './process_identity.ts'
import { applyStep, equalBytes, inverse, isApplied, readOrNull, type Step } from './steps.ts'

export interface JournalOptions {
  /** A folder of its own, made with mode 0700 when first needed. */
  readonly folder: string
  readonly storage: Storage
  readonly locks: Locks
  readonly disk?: Disk
  /** Who writes the plans: this process. */
  readonly self?: ProcessIdentity
}

/** What became of an operation that was interrupted. */
export interface Recovered {
  /** The operation in the history. */
  readonly historyId: string
  /** `stuck`: files were changed by others meanwhile, so that it could be neither finished nor taken back as a whole. */
  readonly outcome: 'finished' | 'undone' | 'stuck'
  readonly reason?: string
}

export interface OpenPlan {
  /** All steps are done, or all taken back. */
  end(): Promise<void>
  /** Given up half way: it stays for the next recovery. */
  abandon(): void
}

interface Plan {
  readonly historyId: string
  readonly owner: ProcessIdentity
  readonly steps: readonly Step[]
}

/**
 * Operations of several steps that are under way. The whole plan is on disk before its first step, so that after
 * a crash the next start finishes it, or takes it back where it cannot be finished.
 */
export class Journal {
  readonly #folder: string
  readonly #storage: Storage
  readonly #locks: Locks
  readonly #disk: Disk
  readonly #self: ProcessIdentity
  /** Plans of our own that are under way. */
  readonly #open = new Set<string>()

  constructor(options: JournalOptions) {
    this.#folder = options.folder
    this.#storage = options.storage
    this.#locks = options.locks
    this.#disk = options.disk ?? nodeDisk
    this.#self = options.self ?? ownIdentity()
  }

  /** Writes a plan down, durably, before its first step. */
  async begin(historyId: string, steps: readonly Step[]): Promise<OpenPlan> {
    await ensureDataFolder(this.#disk, this.#folder)
    const name = `${crypto.getRandomValues(new Uint8Array(8)).toHex()}.plan`
    const bytes = await encodePlan({ historyId, owner: this.#self, steps })
    await createFile(this.#disk, { target: join(this.#folder, name), bytes, confirm: () => {} })
    this.#open.add(name)
    return {
      end: async () => {
        await this.#remove(name)
        this.#open.delete(name)
      },
      abandon: () => void this.#open.delete(name),
    }
  }

  /** Finishes or takes back what processes that are gone have left; what we ourselves could not take back is tried again. */
  async recover(): Promise<Recovered[]> {
    const recovered: Recovered[] = []
    for (const name of (await this.#names()).sort()) {
      if (this.#open.has(name)) continue
      const plan = await this.#read(name)
      if (plan === null || (plan.owner.token !== this.#self.token && isRunning(plan.owner) === 'running'))
        continue
      const result = await this.#locks.hold(plan.steps.flatMap(pathsOf), async () => {
        // Another server may have done it while we waited.
        if ((await this.#read(name)) === null) return null
        const outcome = await settle(this.#storage, plan)
        await this.#remove(name)
        return outcome
      })
      if (result !== null) recovered.push(result)
    }
    return recovered
  }

  async #names(): Promise<string[]> {
    try {
      return (await this.#disk.promises.readdir(this.#folder)).filter((n) => n.endsWith('.plan'))
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return []
      throw error
    }
  }

  async #read(name: string): Promise<Plan | null> {
    try {
      const handle = await this.#disk.promises.open(join(this.#folder, name), 'r')
      try {
        return await decodePlan(await handle.readFile())
      } finally {
        await handle.close()
      }
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null
      throw error
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#disk.promises.unlink(join(this.#folder, name))
    await syncFolder(this.#disk, this.#folder)
  }
}

function pathsOf(step: Step): string[] {
  return step.do === 'rename' ? [step.from, step.to] : [step.path]
}

async function settle(storage: Storage, { historyId, steps }: Plan): Promise<Recovered> {
  let done = steps.length
  while (done > 0 && !(await isApplied(storage, steps[done - 1]!))) done--
  try {
    for (; done < steps.length; done++) await forward(storage, steps[done]!)
    return { historyId, outcome: 'finished' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const untouched = await isUntouched(storage, steps[done]!)
    const undone = await takeBack(storage, steps.slice(0, done))
    return { historyId, outcome: undone && untouched ? 'undone' : 'stuck', reason }
  }
}

/** Does the storage look as it did before this step? */
async function isUntouched(storage: Storage, step: Step): Promise<boolean> {
  if (step.do === 'rename') return (await storage.stat(step.from)) !== null
  const current = await readOrNull(storage, step.path)
  return step.do === 'create' ? current === null : current !== null && equalBytes(current, step.before)
}

/** A file moves by a link and the removal of its old name: a crash may have left both. */
async function forward(storage: Storage, step: Step): Promise<void> {
  if (step.do === 'rename') {
    const [from, to] = await Promise.all([
      readFileOrNull(storage, step.from),
      readFileOrNull(storage, step.to),
    ])
    if (from !== null && to !== null && equalBytes(from, to)) return storage.remove(step.from)
  }
  return applyStep(storage, step)
}

async function readFileOrNull(storage: Storage, path: string): Promise<Uint8Array | null> {
  return (await storage.stat(path))?.kind === 'file' ? readOrNull(storage, path) : null
}

/** Takes steps back, the last one first. What cannot be taken back is left, the others are still tried. */
export async function takeBack(storage: Storage, done: readonly Step[]): Promise<boolean> {
  let all = true
  for (const step of [...done].reverse()) {
    try {
      await applyStep(storage, inverse(step))
    } catch {
      all = false
    }
  }
  return all
}

/** A step as it stands in a plan: bytes in base64. */
type Written<T> = T extends unknown ? { [K in keyof T]: T[K] extends Uint8Array ? string : T[K] } : never

async function encodePlan({ steps, ...plan }: Plan): Promise<Uint8Array> {
  const written = steps.map((step) =>
    Object.fromEntries(
      Object.entries(step).map(([k, v]) => [
        k,
        v instanceof Uint8Array ? Buffer.from(v).toString('base64') : v,
      ]),
    ),
  )
  return Bun.zstdCompress(JSON.stringify({ ...plan, steps: written }))
}

/** @returns null for what is no plan of ours */
async function decodePlan(bytes: Uint8Array): Promise<Plan | null> {
  try {
    const json = new TextDecoder().decode(await Bun.zstdDecompress(bytes))
    const { steps, ...plan } = JSON.parse(json) as Omit<Plan, 'steps'> & { steps: Written<Step>[] }
    return { ...plan, steps: steps.map(readStep) }
  } catch {
    return null
  }
}

function readStep(step: Written<Step>): Step {
  const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))
  switch (step.do) {
    case 'create':
      return { ...step, after: bytes(step.after) }
    case 'replace':
      return { ...step, before: bytes(step.before), after: bytes(step.after) }
    case 'remove':
      return { ...step, before: bytes(step.before) }
    case 'rename':
      return step
  }
}
