import { afterAll, afterEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCAL_MODELS } from '../../src/vector/embedders/local_models.ts'
import { addModel, pullModel } from '../../src/vector/model_store.ts'

const MODEL = LOCAL_MODELS[1]!
const WEIGHTS = new Uint8Array(300_000).map((_, i) => (i * 7) % 251)
const CONTENT: Record<string, Uint8Array> = {
  'onnx/model_quantized.onnx': WEIGHTS,
  'tokenizer.json': new TextEncoder().encode('{"tokenizer":1}'),
  'config.json': new TextEncoder().encode('{"config":1}'),
  'README.md': new TextEncoder().encode('nobody needs this'),
}

/** What the hub does wrong in the next answers, one entry an answer with a file in it. */
let faults: ('cut' | 'damage')[] = []
let listing: 'right' | 'none' | 'other hash' = 'right'
const asked: { path: string; range: string | null }[] = []

const hub = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === `/api/models/${MODEL.hubName}/tree/main`) return list()
    const path = pathname.split('/resolve/main/')[1] ?? ''
    const content = CONTENT[path]
    if (content === undefined) return new Response('no', { status: 404 })
    const range = request.headers.get('range')
    asked.push({ path, range })
    const from = Number(range?.match(/bytes=(\d+)-/)?.[1] ?? 0)
    const body = content.slice(from)
    const fault = faults.shift()
    if (fault === 'damage') body[0]! ^= 255
    if (fault !== 'cut') return new Response(body, { status: range ? 206 : 200 })
    return new Response(body.slice(0, 100_000))
  },
})
afterAll(() => hub.stop(true))

function list(): Response {
  if (listing === 'none') return new Response('{}', { status: 404 })
  const hash = (kind: string, ...parts: (string | Uint8Array)[]) =>
    parts.reduce((h, part) => h.update(part), createHash(kind)).digest('hex')
  const rows = Object.entries(CONTENT).map(([path, bytes]) => {
    const oid = hash('sha1', `blob ${bytes.length}\0`, bytes)
    const sha = listing === 'other hash' ? hash('sha256', 'other') : hash('sha256', bytes)
    return {
      type: 'file',
      path,
      size: bytes.length,
      oid,
      ...(path.endsWith('.onnx') ? { lfs: { oid: sha } } : {}),
    }
  })
  return Response.json([{ type: 'directory', path: 'onnx', size: 0, oid: 'x' }, ...rows])
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  faults = []
  listing = 'right'
  asked.length = 0
})
function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knap-model-'))
  folders.push(folder)
  return folder
}
const pull = (folder: string, report: (line: string) => void = () => {}) =>
  pullModel(MODEL, { folder, hub: hub.url.href, report })
const filesOf = (folder: string) =>
  readdirSync(join(folder, MODEL.name), { recursive: true, encoding: 'utf8' }).sort()

test('what a model needs is fetched, compared and recorded; the weights come last', async () => {
  const folder = temporary()
  const lines: string[] = []
  await pull(folder, (line) => lines.push(line))
  expect(filesOf(folder)).toEqual([
    'config.json',
    'manifest.json',
    'onnx',
    'onnx/model_quantized.onnx',
    'tokenizer.json',
  ])
  expect(asked.map((a) => a.path)).toEqual(['config.json', 'tokenizer.json', 'onnx/model_quantized.onnx'])
  expect(readFileSync(join(folder, MODEL.name, 'onnx/model_quantized.onnx'))).toEqual(Buffer.from(WEIGHTS))
  const manifest = JSON.parse(readFileSync(join(folder, MODEL.name, 'manifest.json'), 'utf8'))
  expect(manifest.files.find((f: { path: string }) => f.path.endsWith('.onnx')).sha256).toHaveLength(64)
  expect(lines.at(-1)).toContain(folder)
})

test('an interrupted file goes on where it stopped; whole ones are not fetched again', async () => {
  const folder = temporary()
  // Two small files come whole, then the line breaks.
  const place = join(folder, MODEL.name, 'onnx')
  mkdirSync(place, { recursive: true })
  await pull(folder)
  rmSync(join(place, 'model_quantized.onnx'))
  asked.length = 0
  faults = ['cut']
  await expect(pull(folder)).rejects.toMatchObject({ code: 'unavailable' })
  expect(existsSync(join(place, 'model_quantized.onnx'))).toBe(false)
  await pull(folder)
  expect(asked).toEqual([
    { path: 'onnx/model_quantized.onnx', range: null },
    { path: 'onnx/model_quantized.onnx', range: 'bytes=100000-' },
  ])
  expect(readFileSync(join(place, 'model_quantized.onnx'))).toEqual(Buffer.from(WEIGHTS))
})

test('a damaged file is fetched once more; one that never fits is refused and leaves nothing', async () => {
  const folder = temporary()
  faults = ['damage']
  await pull(folder)
  expect(asked.filter((a) => a.path === 'config.json')).toHaveLength(2)
  listing = 'other hash'
  const other = temporary()
  await expect(pull(other)).rejects.toThrow('hash')
  expect(filesOf(other)).not.toContain('onnx/model_quantized.onnx')
})

test('a hub that does not know the model, or is not there, is said', async () => {
  listing = 'none'
  await expect(pull(temporary())).rejects.toMatchObject({ code: 'not_found' })
  const nowhere = pullModel(MODEL, { folder: temporary(), hub: 'http://127.0.0.1:9', report: () => {} })
  await expect(nowhere).rejects.toMatchObject({ code: 'unavailable' })
})

test('a model is taken from a folder that has all of it', async () => {
  const from = temporary()
  const folder = temporary()
  for (const [path, bytes] of Object.entries(CONTENT)) {
    mkdirSync(join(from, path, '..'), { recursive: true })
    writeFileSync(join(from, path), bytes)
  }
  await addModel(MODEL, from, folder)
  expect(filesOf(folder)).toEqual(['config.json', 'onnx', 'onnx/model_quantized.onnx', 'tokenizer.json'])
  rmSync(join(from, 'tokenizer.json'))
  await expect(addModel(MODEL, from, folder)).rejects.toThrow('tokenizer.json')
})
