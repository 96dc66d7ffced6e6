import { foldersIn } from '../docs/page.ts'
import { type CorpusPlace, type CorpusSource, isCorpusName, isFetchable, PRESETS } from '../docs/source.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import { shown } from './error.ts'
import { absolutePath, type Machine } from './places.ts'
import { unquoted } from './vaults.ts'

/** What a setting of corpora takes, for messages. */
export const CORPORA_RIGHT = `${[...PRESETS.keys()].join(', ')}, name=folder or name=https://… (a ZIP archive)`

/**
 * The documentation corpora that a setting names: a list of presets and `name=place`, or a mapping of names to a place
 * or to `{path | url, folders, prebuilt_url}`.
 * @param base absolute path that relative ones start from
 * @throws Error whose message says what is wrong, to be put behind the setting's name
 */
export function readCorpora(raw: unknown, base: string, machine: Machine): CorpusSource[] {
  const corpora = entriesOf(raw).map(([name, value]) => corpusOf(name, value, base, machine))
  const seen = new Set<string>()
  for (const { name } of corpora) {
    const key = name.toLowerCase()
    if (seen.has(key)) throw new Error(`two corpora are called ${shown(name)}; each needs a name of its own`)
    seen.add(key)
  }
  return corpora
}

/** An address as it is, or an absolute path. @throws Error */
export function readPlace(raw: string, base: string, machine: Machine): string {
  const text = unquoted(raw)
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return absolutePath(text, base, machine)
  if (URL.canParse(text) && isFetchable(new URL(text))) return text
  throw new Error(
    `${shown(raw)} is not right; it takes an https address (http on this machine alone) or a path`,
  )
}

function entriesOf(raw: unknown): [string, unknown][] {
  if (typeof raw === 'string') {
    const words = raw.split(/[,\n]/).map((word) => word.trim())
    return words.filter((word) => word !== '').map(namedPlace)
  }
  if (Array.isArray(raw)) return raw.flatMap(entriesOf)
  if (isMapping(raw)) return Object.entries(raw)
  throw new Error(`${shown(raw)} is not right; it takes ${CORPORA_RIGHT}`)
}

function namedPlace(word: string): [string, unknown] {
  const equals = word.indexOf('=')
  return equals < 0 ? [unquoted(word), null] : [word.slice(0, equals).trim(), word.slice(equals + 1).trim()]
}

const KEYS = ['path', 'url', 'folders', 'prebuilt_url']

function corpusOf(name: string, value: unknown, base: string, machine: Machine): CorpusSource {
  if (!isCorpusName(name))
    throw new Error(`${shown(name)} is no name for a corpus; use letters, digits, "_", "." and "-"`)
  if (value === null || value === true) return { name, place: presetOf(name), folders: [], prebuilt: null }
  if (typeof value === 'string')
    return { name, place: placeOf(value, base, machine), folders: [], prebuilt: null }
  if (!isMapping(value)) throw new Error(`${name}: ${shown(value)} is not right; it takes ${CORPORA_RIGHT}`)
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key))
  if (unknown !== undefined)
    throw new Error(
      `${name}.${unknown} is no setting.${didYouMean(nearest(unknown, KEYS, 1)) || ` Known: ${KEYS.join(', ')}.`}`,
    )
  const { path, url, folders = [], prebuilt_url: prebuilt = null } = value
  if (path !== undefined && url !== undefined)
    throw new Error(`${name}: path and url are both given; use the one or the other`)
  const place = path ?? url
  return {
    name,
    place: place === undefined ? presetOf(name) : placeOf(textIn(name, place), base, machine),
    folders: foldersOf(name, folders),
    prebuilt: prebuilt === null ? null : readPlace(textIn(name, prebuilt), base, machine),
  }
}

function presetOf(name: string): CorpusPlace {
  const preset = PRESETS.get(name)
  if (preset !== undefined) return preset
  const known = [...PRESETS.keys()]
  throw new Error(
    `${shown(name)} is no preset (${known.join(', ')}), so it needs a folder or an address: ${name}=~/manual.${didYouMean(nearest(name, known, 1))}`,
  )
}

function placeOf(raw: string, base: string, machine: Machine): CorpusPlace {
  const place = readPlace(raw, base, machine)
  return /^https?:\/\//i.test(place) ? { kind: 'zip', url: place } : { kind: 'folder', path: place }
}

function foldersOf(name: string, raw: unknown): string[] {
  if (typeof raw === 'string') return foldersIn(raw)
  if (Array.isArray(raw)) return raw.flatMap((item) => foldersIn(textIn(name, item)))
  throw new Error(`${name}.folders: ${shown(raw)} is not right; it takes a list of folders`)
}

function textIn(name: string, raw: unknown): string {
  if (typeof raw === 'string' && raw.trim() !== '') return raw
  throw new Error(`${name}: ${shown(raw)} is not right; it takes ${CORPORA_RIGHT}`)
}

function isMapping(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}
