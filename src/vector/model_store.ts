import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { VaultError } from '../errors.ts'
import type { LocalModel } from './embedders/local_models.ts'

export interface PullOptions {
  /** The folder that will hold the model's folder. */
  readonly folder: string
  /** Address of the hub. */
  readonly hub?: string | undefined
  /** Takes a line about what is done. */
  readonly report: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** What the hub says of a file. */
interface HubFile {
  readonly path: string
  readonly size: number
  /** Git's name of the blob, SHA-1. */
  readonly oid: string
  /** Of files that Git does not hold itself: their SHA-256. */
  readonly lfs?: { readonly oid: string } | undefined
}

const HUB = 'https://huggingface.co'
/** What a model needs; those after the first two where the hub has them. */
const FILES = [
  'onnx/model_quantized.onnx',
  'tokenizer.json',
  'config.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
]
const NEEDED = 3
/** The record of what was fetched. */
const MANIFEST = 'manifest.json'

/**
 * Fetches a model: each file into a `.part` beside its place (an interrupted one goes on where it stopped), compared
 * with the hash that the hub states, then put in place; the weights come last, since they make a folder a model.
 * @throws VaultError `unavailable`, `not_found` (the hub has no such model)
 */
export async function pullModel(model: LocalModel, options: PullOptions): Promise<void> {
  const hub = (options.hub ?? HUB).replace(/\/+$/, '')
  const repository = `${hub}/${encodeURI(model.hubName)}`
  const listed = await listFiles(
    `${hub}/api/models/${encodeURI(model.hubName)}/tree/main?recursive=true`,
    options,
  )
  const wanted = FILES.map((path) => listed.find((file) => file.path === path))
  if (wanted.slice(0, NEEDED).includes(undefined))
    throw failed(`has no complete ${model.hubName}`, 'not_found')
  const files = wanted.filter((file) => file !== undefined).reverse()
  const into = join(options.folder, model.name)
  for (const file of files)
    await fetchFile(`${repository}/resolve/main/${file.path}`, file, { ...options, into })
  const record = files.map(({ path, size, oid, lfs }) => ({
    path,
    size,
    ...(lfs ? { sha256: lfs.oid } : { gitSha1: oid }),
  }))
  await writeFile(join(into, MANIFEST), `${JSON.stringify({ source: repository, files: record }, null, 2)}\n`)
  options.report(`${model.name} is in ${into}`)
}

/**
 * Takes a model from a folder that has its files.
 * @throws VaultError `not_found` where the folder is no model
 */
export async function addModel(model: LocalModel, from: string, folder: string): Promise<void> {
  const into = join(folder, model.name)
  const there = new Set(await readdir(from, { recursive: true }).catch(() => []))
  const missing = FILES.slice(0, NEEDED).filter((file) => !there.has(join(...file.split('/'))))
  if (missing.length > 0) {
    throw new VaultError(
      'not_found',
      `${from} is no folder of an embedding model: it has no ${missing.join(', ')}.`,
      {
        hint: 'Name the folder that holds onnx/model_quantized.onnx, tokenizer.json and config.json.',
      },
    )
  }
  for (const file of FILES.filter((f) => there.has(join(...f.split('/')))).reverse()) {
    await mkdir(dirname(join(into, file)), { recursive: true })
    await copyFile(join(from, file), `${join(into, file)}.part`)
    await rename(`${join(into, file)}.part`, join(into, file))
  }
}

async function listFiles(url: string, { signal }: PullOptions): Promise<HubFile[]> {
  const response = await ask(url, { signal: signal ?? null })
  if (response.status === 404 || response.status === 401) throw failed('has no such model', 'not_found')
  if (!response.ok) throw failed(`answered ${response.status}`)
  const list: unknown = await response.json().catch(() => null)
  if (!Array.isArray(list)) throw failed('gave no list of files')
  return list.filter(
    (row) => typeof row?.path === 'string' && typeof row.size === 'number' && typeof row.oid === 'string',
  )
}

async function fetchFile(url: string, file: HubFile, options: PullOptions & { into: string }): Promise<void> {
  const place = join(options.into, file.path)
  if (await isWhole(place, file)) return
  const part = `${place}.part`
  await mkdir(dirname(place), { recursive: true })
  for (const attempt of [1, 2]) {
    await download(url, part, file, options)
    if ((await sizeOf(part)) < file.size) throw failed(`broke off in ${file.path}`)
    if (await isWhole(part, file)) {
      await rename(part, place)
      return
    }
    await rm(part, { force: true })
    if (attempt === 1) options.report(`${file.path} came damaged; once more`)
  }
  throw failed(`gave a ${file.path} whose hash is not the one that it states`)
}

const SAY_EVERY_BYTES = 8 * 1024 * 1024

async function download(
  url: string,
  part: string,
  { path, size }: HubFile,
  { report, signal }: PullOptions,
): Promise<void> {
  const have = await sizeOf(part)
  const from = have < size ? have : 0
  const headers = from > 0 ? { range: `bytes=${from}-` } : undefined
  const response = await ask(url, { signal: signal ?? null, ...(headers && { headers }) })
  if (!response.ok || response.body === null) throw failed(`answered ${response.status} for ${path}`)
  const goesOn = response.status === 206
  const file = createWriteStream(part, { flags: goesOn ? 'a' : 'w' })
  let got = goesOn ? from : 0
  let said = got
  report(`${path}: ${goesOn ? `goes on at ${megabytes(got)} of ` : ''}${megabytes(size)}`)
  try {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (!file.write(bytes)) await new Promise<void>((resolve) => file.once('drain', () => resolve()))
      got += bytes.length
      if (got - said >= SAY_EVERY_BYTES) {
        said = got
        report(`${path}: ${megabytes(got)} of ${megabytes(size)}`)
      }
    }
  } catch {
    throw failed(`broke off at ${megabytes(got)} of ${path}`)
  } finally {
    await new Promise<void>((resolve) => file.end(() => resolve()))
  }
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch {
    throw failed('cannot be reached')
  }
}

async function isWhole(place: string, { size, oid, lfs }: HubFile): Promise<boolean> {
  if ((await sizeOf(place)) !== size) return false
  const hash = new Bun.CryptoHasher(lfs ? 'sha256' : 'sha1')
  if (!lfs) hash.update(`blob ${size}\0`)
  for await (const bytes of createReadStream(place)) hash.update(bytes as Uint8Array)
  return hash.digest('hex') === (lfs?.oid ?? oid)
}

async function sizeOf(place: string): Promise<number> {
  return await stat(place).then(
    (s) => s.size,
    () => 0,
  )
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

function failed(what: string, code: 'unavailable' | 'not_found' = 'unavailable'): VaultError {
  return new VaultError(code, `The model hub ${what}.`, {
    hint: 'Run the command again: what has arrived is kept. Without a network: knap model add FOLDER.',
  })
}
