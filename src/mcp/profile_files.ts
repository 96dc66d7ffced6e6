import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import classic from '../../profiles/classic.yaml'
import core from '../../profiles/core.yaml'
import docs from '../../profiles/docs.yaml'
import full from '../../profiles/full.yaml'
import minimal from '../../profiles/minimal.yaml'
import read from '../../profiles/read.yaml'
import { VaultError } from '../errors.ts'
import { yamlLibrary } from '../note/yaml_library.ts'
import { didYouMean, nearest } from '../text/nearest.ts'

/** A named choice of tools. */
export interface Profile {
  readonly name: string
  readonly description: string
  /** Open as a whole. */
  readonly tools: readonly string[]
  /** Open as far as they read, where a tool both reads and writes. */
  readonly readingActionsOf: readonly string[]
}

const KEYS = ['description', 'tools', 'reading_actions_of']

/** The profiles that the program brings, in the order in which the help names them. Part of the program: no file is read. */
export const SHIPPED_PROFILES: ReadonlyMap<string, Profile> = new Map(
  Object.entries({ full, core, read, minimal, docs, classic }).map(([name, value]) => [
    name,
    profileOf(name, value as Record<string, unknown>),
  ]),
)

/**
 * The shipped profiles and those of a user's folder (`NAME.yaml` or `NAME.yml`), which win over shipped ones of the same name.
 * @param folder absolute, or null for none
 * @param known names of all tools: what a user's profile names beside them is an error
 * @throws VaultError `bad_argument`, `unavailable`: one line that names the file
 */
export function loadProfiles(folder: string | null, known: readonly string[]): ReadonlyMap<string, Profile> {
  const out = new Map(SHIPPED_PROFILES)
  if (folder === null) return out
  for (const file of filesIn(folder)) {
    const name = path.parse(file).name.toLowerCase()
    const profile = parseProfile(name, readText(path.join(folder, file)))
    if (known.includes(name)) throw broken(name, 'it is called like a tool', 'Give the file another name.')
    requireKnown(profile, known)
    out.set(name, profile)
  }
  return out
}

/** @throws VaultError `bad_argument` that names the profile */
export function parseProfile(name: string, text: string): Profile {
  if (!/^[a-z][a-z0-9_-]*$/.test(name))
    throw broken(name, 'its name is not right', 'Use letters, digits, "_" and "-".')
  return profileOf(name, yamlOf(name, text))
}

function profileOf(name: string, value: Readonly<Record<string, unknown>>): Profile {
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key))
  if (unknown !== undefined)
    throw broken(name, `it holds ${JSON.stringify(unknown)}`, `Known keys: ${KEYS.join(', ')}.`)
  const tools = namesOf(name, 'tools', value.tools)
  const readingActionsOf = namesOf(name, 'reading_actions_of', value.reading_actions_of)
  if (tools.length + readingActionsOf.length === 0)
    throw broken(name, 'it opens no tool', 'List tools under "tools:".')
  return {
    name,
    description: typeof value.description === 'string' ? value.description : '',
    tools,
    readingActionsOf,
  }
}

function yamlOf(name: string, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = yamlLibrary().parse(text, { maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    throw broken(name, String((error as Error).message).split('\n')[0] ?? 'no YAML', 'Mend the YAML.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw broken(name, 'it is no mapping', 'Write "tools:" and a list of names below it.')
}

function namesOf(profile: string, key: string, value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.map((item) => item.trim())
  throw broken(
    profile,
    `its ${JSON.stringify(key)} is no list of names`,
    'Write a name a line, each after "- ".',
  )
}

function requireKnown(profile: Profile, known: readonly string[]): void {
  const unknown = [...profile.tools, ...profile.readingActionsOf].find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw broken(
    profile.name,
    `there is no tool ${JSON.stringify(unknown)}`,
    didYouMean(nearest(unknown, known, 1)).trim() || 'Take it out.',
  )
}

function broken(name: string, what: string, hint: string): VaultError {
  return new VaultError('bad_argument', `The profile ${JSON.stringify(name)} cannot be used: ${what}.`, {
    hint,
  })
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /^[^.].*\.ya?ml$/i.test(file))
      .sort()
  } catch (error) {
    throw unreadable(folder, error)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(place: string, cause: unknown): VaultError {
  const why = (cause as NodeJS.ErrnoException).code ?? 'an unknown reason'
  return new VaultError('unavailable', `The profiles in ${place} cannot be read (${why}).`, {
    hint: 'OBSIDIAN_PROFILES names a folder with a YAML file for each profile.',
    cause,
  })
}
