import { z } from 'zod'
import { languageOf } from '../text/language.ts'

/**
 * Kinds of settings. Each reads text (from a flag or the environment) as well as the typed value that a YAML file
 * gives, and its one issue's message says what is right, to be put behind "takes".
 */

/** Any text. */
export const text = kind('text', (raw) => (typeof raw === 'string' ? raw : scalarText(raw)))

/** true/false, 1/0, yes/no, on/off, in any case. */
export const switched = kind('true or false', (raw) => {
  if (typeof raw === 'boolean') return raw
  const word = String(raw).toLowerCase()
  return Object.hasOwn(SWITCHES, word) ? SWITCHES[word] : undefined
})

const SWITCHES: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  '1': true,
  '0': false,
  yes: true,
  no: false,
  on: true,
  off: false,
}

/** `auto`, or a switch. */
export const autoOrSwitched = kind<'auto' | boolean>('auto, true or false', (raw) => {
  if (typeof raw === 'string' && raw.toLowerCase() === 'auto') return 'auto'
  return switched.safeParse(raw).data
})

/** One of a closed set, in any case. */
export function choice<const Words extends readonly string[]>(words: Words): z.ZodType<Words[number]> {
  return kind<Words[number]>(words.join(', '), (raw) =>
    words.find((word) => word.toLowerCase() === String(raw).toLowerCase()),
  )
}

/** A whole number from `least` to `most`, both included. */
export function whole(least: number, most: number): z.ZodType<number> {
  return kind(`a whole number from ${least} to ${most}`, (raw) => {
    const number = typeof raw === 'string' && /^[+-]?\d{1,15}$/.test(raw) ? Number(raw) : raw
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined
    return number >= least && number <= most ? number : undefined
  })
}

/** A number from `least` to `most`, both included. */
export function decimal(least: number, most: number): z.ZodType<number> {
  return kind(`a number from ${least} to ${most}`, (raw) => {
    const number = typeof raw === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(raw) ? Number(raw) : raw
    if (typeof number !== 'number' || !Number.isFinite(number)) return undefined
    return number >= least && number <= most ? number : undefined
  })
}

/** Several texts: a YAML list, or one text with commas or line ends between (a comma inside `{a,b}` is part of a pattern). */
export const list = kind<readonly string[]>('a list with commas between', (raw) => {
  const items = Array.isArray(raw) ? raw.map(scalarText) : splitList(String(raw))
  if (items.some((item) => item === undefined)) return undefined
  return items.map((item) => (item as string).trim()).filter((item) => item !== '')
})

/** `auto`, or languages by code (`en`, `pt-BR`) or English name, as codes. */
export const languages = kind<readonly string[]>('auto, or languages such as en,de', (raw) => {
  const items = list.safeParse(raw).data
  if (items === undefined || items.length === 0) return undefined
  if (items.length === 1 && items[0]?.toLowerCase() === 'auto') return ['auto']
  const codes = items.map((item) => languageOf(item)?.code)
  return codes.includes(undefined) ? undefined : (codes as string[])
})

/** An http(s) address without credentials, query and fragment; a trailing slash is dropped. */
export const webAddress = kind('an http(s) address without credentials, query or fragment', (raw) => {
  if (typeof raw !== 'string' || !URL.canParse(raw)) return undefined
  const url = new URL(raw)
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return plain && /^https?:$/.test(url.protocol) ? raw.replace(/\/+$/, '') : undefined
})

/** A BCP 47 locale; `de_DE.UTF-8` is read as `de-DE`. */
export const locale = kind('a locale such as en-GB', (raw) => {
  const tag = String(raw)
    .replace(/[.@].*$/, '')
    .replaceAll('_', '-')
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
})

/** A zone of the IANA time zone data. */
export const timezone = kind('a time zone such as Europe/Berlin', (raw) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: String(raw) }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
})

function kind<T>(right: string, read: (raw: unknown) => T | undefined): z.ZodType<T> {
  const schema = z.unknown().transform((raw, context) => {
    const value = read(raw)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: right })
    return z.NEVER
  })
  return schema as unknown as z.ZodType<T>
}

function scalarText(raw: unknown): string | undefined {
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean'
    ? String(raw)
    : undefined
}

function splitList(raw: string): string[] {
  const items = ['']
  let depth = 0
  for (const character of raw) {
    if (character === '{') depth++
    else if (character === '}') depth = Math.max(0, depth - 1)
    const ends = character === '\n' || (character === ',' && depth === 0)
    if (ends) items.push('')
    else items[items.length - 1] += character
  }
  return items
}
