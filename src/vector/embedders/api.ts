import { VaultError } from '../../errors.ts'
import { type Embedder, normalise } from '../embedder.ts'
import { CHUNK_RULES } from '../limits.ts'
import { type ApiLimits, OPENAI } from './api_profile.ts'
import { tokenCounter } from './api_tokens.ts'

export interface ApiOptions {
  /** Address up to and without `/embeddings`. */
  readonly base: string
  readonly key: string | null
  readonly model: string
  /** Dimensions of the vectors; null: asked of the API. */
  readonly dimensions: number | null
  /** Milliseconds that one request may take, repetitions and waits included. */
  readonly timeoutMs: number
  /** Texts in one request, at most. */
  readonly batch: number
  /** What is known of this API and model; null: a number of characters is sent that every model takes. */
  readonly limits: ApiLimits | null
  /** PEM text of a certificate authority. */
  readonly ca?: string | undefined
  readonly tlsVerify?: boolean | undefined
  /** Stands in for the network in tests. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly sleep?: (ms: number) => Promise<void>
}

/** Others than those of which more is known get a window that every model of the kind has. */
const OPENAI_TOKENS = 8191
const SAFE_TOKENS = 512
const MOST_ATTEMPTS = 4
/** Bytes of the texts of one request. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024
/** Waits before repetitions (ms), where the server names none. */
const BACKOFF_MS = [250, 1000, 3000]

/**
 * Any service with OpenAI's `/v1/embeddings`. Queries are repeated on passing failures (network, 429, 5xx) within the
 * time-out; documents are sent once, since whoever sends them comes back by himself.
 * @throws VaultError `unavailable` when it cannot be asked what its dimension is
 */
export async function openApiEmbedder(options: ApiOptions, signal: AbortSignal): Promise<Embedder> {
  const { base, model, limits } = options
  const countTokens = limits === null ? roughly : await tokenCounter(limits.tokenizer)
  const dimensions = options.dimensions ?? (await probe(options, signal))
  const maxTokens = limits?.maxTokens ?? (base === OPENAI ? OPENAI_TOKENS : SAFE_TOKENS)
  const endpoint = new Bun.CryptoHasher('sha256').update(base).digest('hex').slice(0, 16)
  const space = `api-${endpoint}-${model}-${dimensions}${limits === null ? '' : `-${limits.revision}`}`
  const batch = Math.min(options.batch, limits?.maxInputs ?? options.batch)
  const ask = async (texts: readonly string[], attempts: number, abort: AbortSignal) => {
    const out: Float32Array[] = []
    const sizes = limits === null ? null : await countTokens(texts)
    for (const part of requestsOf(texts, { sizes, batch, maxTokens: limits?.maxBatchTokens ?? Infinity }))
      out.push(...(await request(options, part, { attempts, signal: abort })))
    for (const vector of out)
      if (vector.length !== dimensions) throw wrongDimension(vector.length, dimensions)
    return out
  }
  return {
    space,
    identity: `${space}#${maxTokens}-${limits === null ? '' : `${fingerprintOf(limits)}-`}${CHUNK_RULES}`,
    batch,
    dimensions,
    maxTokens,
    speaks: () => true,
    countTokens,
    embedDocuments: (texts, abort) => ask(texts, 1, abort),
    embedQuery: async (text, abort) => (await ask([text], MOST_ATTEMPTS, abort))[0] as Float32Array,
    close: async () => {},
  }
}

/** Three bytes a token is less than any tokenizer needs for words, and one ideograph. */
async function roughly(texts: readonly string[]): Promise<number[]> {
  return texts.map((text) => Math.ceil(Buffer.byteLength(text) / 3))
}

function fingerprintOf({ tokenizer }: ApiLimits): string {
  return tokenizer.kind === 'huggingface'
    ? `${tokenizer.sha256.slice(0, 16)}${tokenizer.addSpecialTokens ? '+' : ''}`
    : tokenizer.kind
}

/** Texts in portions that the service takes. */
function requestsOf(
  texts: readonly string[],
  { sizes, batch, maxTokens }: { sizes: readonly number[] | null; batch: number; maxTokens: number },
): string[][] {
  const out: string[][] = []
  let [tokens, bytes] = [0, 0]
  for (const [i, text] of texts.entries()) {
    const [size, length] = [sizes?.[i] ?? 0, Buffer.byteLength(text)]
    const last = out.at(-1)
    if (last && last.length < batch && tokens + size <= maxTokens && bytes + length <= MAX_REQUEST_BYTES) {
      last.push(text)
      tokens += size
      bytes += length
    } else {
      out.push([text])
      tokens = size
      bytes = length
    }
  }
  return out
}

async function probe(options: ApiOptions, signal: AbortSignal): Promise<number> {
  const [vector] = await request(options, ['dimension'], { attempts: MOST_ATTEMPTS, signal })
  return (vector as Float32Array).length
}

interface Attempt {
  readonly attempts: number
  readonly signal: AbortSignal
}

async function request(
  options: ApiOptions,
  texts: readonly string[],
  { attempts, signal }: Attempt,
): Promise<Float32Array[]> {
  const deadline = Date.now() + options.timeoutMs
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(options, texts, Math.max(1, deadline - Date.now()), signal)
    if (outcome.vectors) return outcome.vectors
    const wait = outcome.retryAfterMs ?? BACKOFF_MS[attempt - 1] ?? 3000
    if (!outcome.passing || attempt >= attempts || Date.now() + wait >= deadline || signal.aborted)
      throw outcome.error
    await (options.sleep ?? Bun.sleep)(wait)
  }
}

type Outcome =
  | { vectors: Float32Array[]; error?: undefined; passing?: undefined; retryAfterMs?: undefined }
  | { vectors?: undefined; error: VaultError; passing: boolean; retryAfterMs?: number | undefined }

async function tryOnce(
  options: ApiOptions,
  texts: readonly string[],
  ms: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const { base, key, model, ca, tlsVerify } = options
  let response: Response
  let answer: unknown
  try {
    response = await (options.fetch ?? fetch)(`${base}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]),
      redirect: 'error',
      ...(ca === undefined && tlsVerify !== false
        ? {}
        : { tls: { ...(ca && { ca }), rejectUnauthorized: tlsVerify !== false } }),
    } as RequestInit)
    answer = response.ok ? await response.json() : await response.text()
  } catch (error) {
    const late = (error as Error).name === 'TimeoutError'
    const code = late ? 'timeout' : 'unavailable'
    return {
      error: failure(code, late ? 'did not answer in time' : 'cannot be reached'),
      passing: !(error instanceof SyntaxError),
    }
  }
  if (response.ok) {
    const vectors = readVectors(answer, texts.length)
    return vectors
      ? { vectors }
      : { error: failure('unavailable', 'gave no list of vectors'), passing: false }
  }
  const { status } = response
  const retryAfterMs = retryAfter(response)
  // What the service will never take is another matter than a service that is not well.
  const code = status === 400 || status === 413 || status === 422 ? 'bad_argument' : 'unavailable'
  return {
    error: failure(code, `answered ${status}`, retryAfterMs),
    passing: status === 429 || status >= 500,
    retryAfterMs,
  }
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

/** The vectors in the order of the texts; null where the answer is of another shape. Floats or base64 of them. */
function readVectors(answer: unknown, count: number): Float32Array[] | null {
  const data = (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) return null
  const out: Float32Array[] = new Array(count)
  for (const [i, row] of data.entries()) {
    const { index = i, embedding } = row as { index?: number; embedding?: unknown }
    const vector = readVector(embedding)
    if (vector === null || !Number.isInteger(index) || index < 0 || index >= count || out[index]) return null
    out[index] = normalise(vector)
  }
  return out
}

function readVector(embedding: unknown): Float32Array | null {
  if (typeof embedding === 'string') {
    const bytes = new Uint8Array(Buffer.from(embedding, 'base64'))
    return bytes.length > 0 && bytes.length % 4 === 0 ? new Float32Array(bytes.buffer) : null
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return null
  return embedding.every((x) => typeof x === 'number' && Number.isFinite(x))
    ? Float32Array.from(embedding)
    : null
}

/** Says what happened without address, key or text. */
function failure(
  code: 'timeout' | 'unavailable' | 'bad_argument',
  what: string,
  retryAfterMs?: number,
): VaultError {
  return new VaultError(code, `The embedding API ${what}.`, {
    hint: 'Check OBSIDIAN_EMBEDDING_API_BASE, the key and the model; search_text works without it.',
    ...(retryAfterMs === undefined ? {} : { details: { retry_after_ms: retryAfterMs } }),
  })
}

function wrongDimension(got: number, right: number): VaultError {
  return new VaultError('unavailable', `The embedding API gave vectors of ${got} numbers, not ${right}.`, {
    hint: 'Set OBSIDIAN_EMBEDDING_DIM to what the model gives, or leave it out.',
  })
}
