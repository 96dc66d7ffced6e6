import { VaultError } from '../errors.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import type { JsonSchema } from './schema.ts'

export interface ReadArguments {
  readonly args: Record<string, unknown>
  /** What was changed to make a value fit, for the answer's `warnings`. */
  readonly warnings: string[]
}

/**
 * Reads a call's arguments against the advertised schema, as forgivingly as is safe: enum values in any case,
 * numbers and booleans given as text, null for an optional parameter, one value where a list is asked for,
 * numbers above their maximum clamped (and said so); a switch that is not given is off. Everything else that does not fit is `bad_argument`.
 */
export function readArguments(schema: JsonSchema, given: unknown): ReadArguments {
  const warnings: string[] = []
  if (given !== undefined && given !== null && !isObject(given)) throw wrong('arguments', 'an object', given)
  const args = readObject(schema, (given ?? {}) as Record<string, unknown>, '', warnings)
  return { args, warnings }
}

type Place = string

function readObject(
  schema: JsonSchema,
  given: Record<string, unknown>,
  at: Place,
  warnings: string[],
): Record<string, unknown> {
  const known = schema.properties ?? {}
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined
    if (inner === undefined) {
      if (schema.additionalProperties === false) throw unknownParameter(name, Object.keys(known), at)
      define(out, name, value)
      continue
    }
    if (value === undefined || (value === null && !takesNull(inner))) continue
    out[name] = readValue(inner, value, at === '' ? name : `${at}.${name}`, warnings)
  }
  for (const [name, inner] of Object.entries(known)) {
    if (Object.hasOwn(out, name)) continue
    if (inner.default !== undefined) out[name] = inner.default
    else if (inner.type === 'boolean' && !schema.required?.includes(name)) out[name] = false
  }
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(out, name))
  if (missing.length > 0) throw missingParameter(missing, known, at)
  return out
}

/** Keys of user data may be called `__proto__`. */
function define(out: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(out, name, { value, enumerable: true, writable: true, configurable: true })
}

function readValue(schema: JsonSchema, value: unknown, at: Place, warnings: string[]): unknown {
  if (schema.anyOf) return readAnyOf(schema.anyOf, value, at, warnings)
  const allowed = allowedValues(schema)
  if (allowed) return readEnum(allowed, value, at)
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0) return value
  if (types.length > 1)
    return readAnyOf(
      types.map((type) => ({ ...schema, type })),
      value,
      at,
      warnings,
    )
  switch (types[0]) {
    case 'string':
      return readString(value, at)
    case 'integer':
    case 'number':
      return readNumber(schema, value, at, warnings)
    case 'boolean':
      return readBoolean(value, at)
    case 'array':
      return readArray(schema, value, at, warnings)
    case 'object':
      return readObject(schema, objectFrom(schema, value, at), at, warnings)
    case 'null':
      if (value !== null) throw wrong(at, 'null', value)
      return null
    default:
      return value
  }
}

function readAnyOf(choices: JsonSchema[], value: unknown, at: Place, warnings: string[]): unknown {
  const exact = choices.find((c) => fitsType(c, value))
  if (exact) return readValue(exact, value, at, warnings)
  let first: unknown
  for (const choice of choices) {
    try {
      return readValue(choice, value, at, warnings)
    } catch (error) {
      first ??= error
    }
  }
  throw first
}

function allowedValues(schema: JsonSchema): unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const]
}

function fitsType(schema: JsonSchema, value: unknown): boolean {
  const allowed = allowedValues(schema)
  if (allowed) return allowed.includes(value)
  switch (schema.type) {
    case 'string':
      return typeof value === 'string'
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'null':
      return value === null
    default:
      return false
  }
}

function readString(value: unknown, at: Place): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw wrong(at, 'text', value)
}

function readEnum(allowed: unknown[], value: unknown, at: Place): unknown {
  if (allowed.includes(value)) return value
  const words = allowed.map(String)
  const wanted = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  const found = words.find((w) => w.toLowerCase() === wanted)
  if (found !== undefined) return found
  const near = wanted === undefined ? [] : nearest(wanted, words, 1)
  throw new VaultError('bad_argument', `${at}: ${show(value)} is none of ${words.join(', ')}.`, {
    hint: `Use one of: ${words.join(', ')}.${didYouMean(near)}`,
  })
}

function readNumber(schema: JsonSchema, value: unknown, at: Place, warnings: string[]): number {
  const what = schema.type === 'integer' ? 'a whole number' : 'a number'
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong(at, what, value)
  if (schema.type === 'integer' && !Number.isInteger(number)) throw wrong(at, what, value)
  if (schema.minimum !== undefined && number < schema.minimum) {
    throw new VaultError('bad_argument', `${at}: ${number} is below its minimum of ${schema.minimum}.`, {
      hint: `Give ${at} as ${what} from ${schema.minimum}${schema.maximum === undefined ? '' : ` to ${schema.maximum}`}.`,
    })
  }
  if (schema.maximum !== undefined && number > schema.maximum) {
    warnings.push(`${at}: ${number} is above its maximum; ${schema.maximum} was used.`)
    return schema.maximum
  }
  return number
}

const BOOLEANS: Record<string, boolean> = {
  true: true,
  false: false,
  '1': true,
  '0': false,
  yes: true,
  no: false,
}

function readBoolean(value: unknown, at: Place): boolean {
  if (typeof value === 'boolean') return value
  const word =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : ''
  if (Object.hasOwn(BOOLEANS, word)) return BOOLEANS[word] as boolean
  throw wrong(at, 'true or false', value)
}

function readArray(schema: JsonSchema, value: unknown, at: Place, warnings: string[]): unknown[] {
  const list = Array.isArray(value) ? value : listFromText(value, at)
  if (schema.minItems !== undefined && list.length < schema.minItems) {
    throw new VaultError(
      'bad_argument',
      `${at} holds ${list.length} entries; at least ${schema.minItems} are needed.`,
      {
        hint: `Give at least ${schema.minItems} in ${at}.`,
      },
    )
  }
  if (schema.maxItems !== undefined && list.length > schema.maxItems) {
    throw new VaultError(
      'bad_argument',
      `${at} holds ${list.length} entries; at most ${schema.maxItems} are taken.`,
      {
        hint: `Give at most ${schema.maxItems} in ${at}, in several calls.`,
      },
    )
  }
  const items = schema.items
  return items ? list.map((item, i) => readValue(items, item, `${at}[${i}]`, warnings)) : list
}

/**
 * An object, or one with known names that a client sent as JSON text. Where the names are the user's own, as with
 * properties, text is a mistake to be told.
 */
function objectFrom(schema: JsonSchema, value: unknown, at: Place): Record<string, unknown> {
  const isJson = typeof value === 'string' && schema.properties !== undefined
  const parsed = isJson && value.trimStart().startsWith('{') ? jsonOf(value) : value
  if (!isObject(parsed)) throw wrong(at, 'an object', value)
  return parsed
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One value, or a JSON list that a client sent as text. */
function listFromText(value: unknown, at: Place): unknown[] {
  if (typeof value === 'number') return [value]
  if (isObject(value)) return [value]
  if (typeof value !== 'string') throw wrong(at, 'a list', value)
  if (!value.trimStart().startsWith('[')) return [value]
  const parsed = jsonOf(value)
  return Array.isArray(parsed) ? parsed : [value]
}

function takesNull(schema: JsonSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some(takesNull)
  if (schema.enum) return schema.enum.includes(null)
  if (schema.type === undefined) return true
  return [schema.type].flat().includes('null')
}

function wrong(at: Place, what: string, value: unknown): VaultError {
  return new VaultError('bad_argument', `${at} takes ${what}, not ${show(value)}.`, {
    hint: `Give ${at} as ${what}.`,
  })
}

function unknownParameter(name: string, known: string[], at: Place): VaultError {
  const near = nearest(name, known, 1)
  const full = at === '' ? name : `${at}.${name}`
  return new VaultError('bad_argument', `There is no parameter "${full}".`, {
    hint: near[0] === undefined ? `Known parameters: ${known.join(', ')}.` : `Did you mean "${near[0]}"?`,
    ...(near[0] === undefined ? {} : { details: { nearest: near } }),
  })
}

function missingParameter(missing: string[], known: Record<string, JsonSchema>, at: Place): VaultError {
  const name = missing[0] as string
  const { description, enum: words } = known[name] ?? {}
  const about = words === undefined ? description : `one of ${words.join(', ')}.`
  return new VaultError('bad_argument', `${at === '' ? '' : `${at}: `}"${name}" is missing.`, {
    hint: `Give ${missing.map((m) => `"${m}"`).join(' and ')}${about ? `: ${about}` : '.'}`,
  })
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
