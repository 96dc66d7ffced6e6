import { VaultError } from '../errors.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import type { Profile } from './profile_files.ts'
import type { Access } from './registry.ts'

/** What filtering needs to know of a tool. */
export interface FilteredTool {
  readonly name: string
  /** Reads only, writes, or both: then `reads` are the values of `action` that only read. */
  readonly access: 'read' | 'write' | { readonly reads: readonly string[] }
}

/** How far each tool is open; a tool that it does not hold is closed. */
export type ToolFilter = ReadonlyMap<string, Access>

export interface FilterNames {
  /** Every tool of the program, also those that are not on offer here. */
  readonly tools: readonly FilteredTool[]
  /** By name, in lower case. */
  readonly profiles: ReadonlyMap<string, Profile>
}

/**
 * Reads a tool filter: empty or a profile (`read`), an allow-list (`a,b`), a deny-list (`!a,!b`), or a profile with
 * changes (`read,+frontmatter,-search_regex`, in the order written). Names in any case.
 * @throws VaultError `bad_argument` for an unknown name, with the nearest known one, and for a mixture of the forms
 */
export function parseToolFilter(text: string, names: FilterNames): ToolFilter {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  if (items.length === 0) return ofProfile('full', names)
  const denied = items.filter((item) => item.startsWith('!'))
  if (denied.length === items.length) return allBut(denied, names)
  if (denied.length > 0) {
    throw mixture(`${quoted(denied[0])} beside ${quoted(items.find((item) => !item.startsWith('!')))}`)
  }
  const [first, ...others] = items as [string, ...string[]]
  const profile = names.profiles.get(first.toLowerCase())
  if (profile === undefined) return onlyThese(items, names)
  return others.reduce((filter, item) => changed(filter, item, first, names), ofProfile(first, names))
}

/** What both filters leave open: narrowing never opens anything. */
export function narrow(a: ToolFilter, b: ToolFilter): ToolFilter {
  const out = new Map<string, Access>()
  for (const [name, access] of a) {
    const both = lesser(access, b.get(name) ?? 'closed')
    if (both !== 'closed') out.set(name, both)
  }
  return out
}

/** Tools that change derived data alone, which can be made again from the notes. */
const DERIVED_ONLY: ReadonlySet<string> = new Set(['index', 'docs_reindex'])

/** What a read-only server leaves open, whatever the filter says: to be narrowed by it. */
export function readOnlyFilter(tools: readonly FilteredTool[]): ToolFilter {
  return new Map(
    tools.map((tool): [string, Access] => [tool.name, DERIVED_ONLY.has(tool.name) ? 'open' : reading(tool)]),
  )
}

/** The access of one tool in a filter. */
export function accessIn(filter: ToolFilter, name: string): Access {
  return filter.get(name) ?? 'closed'
}

const ORDER: readonly Access[] = ['closed', 'read', 'open']

function lesser(a: Access, b: Access): Access {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b
}

function reading({ access }: FilteredTool): Access {
  if (typeof access === 'object') return 'read'
  return access === 'read' ? 'open' : 'closed'
}

function ofProfile(name: string, { profiles, tools }: FilterNames): ToolFilter {
  const profile = profiles.get(name.toLowerCase())
  if (profile === undefined)
    throw new VaultError('bad_argument', `There is no profile ${quoted(name)}.`, { hint: 'Name a profile.' })
  const out = new Map<string, Access>()
  for (const tool of tools) {
    if (profile.tools.includes(tool.name)) out.set(tool.name, 'open')
    else if (profile.readingActionsOf.includes(tool.name)) out.set(tool.name, reading(tool))
  }
  return out
}

function allBut(denied: readonly string[], names: FilterNames): ToolFilter {
  const out = new Map<string, Access>(names.tools.map((tool) => [tool.name, 'open']))
  for (const item of denied) out.delete(toolNamed(item.slice(1).trim(), names))
  return out
}

function onlyThese(items: readonly string[], names: FilterNames): ToolFilter {
  const change = items.find((item) => /^[+-]/.test(item))
  if (change !== undefined && change === items[0]) {
    throw new VaultError('bad_argument', `${quoted(change)} changes a profile, and none stands before it.`, {
      hint: `Put the profile first: full,${change}`,
    })
  }
  // An unknown first word may be a misspelt profile: it is named before the mixture that it seems to begin.
  const listed = items.filter((item) => !/^[+-]/.test(item)).map((item) => listable(item, names))
  if (change !== undefined) throw mixture(`the list ${quoted(listed.join(','))} beside ${quoted(change)}`)
  return new Map(listed.map((name) => [name, 'open']))
}

function listable(item: string, names: FilterNames): string {
  if (!names.profiles.has(item.toLowerCase())) return toolNamed(item, names)
  throw new VaultError('bad_argument', `The profile ${quoted(item)} stands in a list of tools.`, {
    hint: `Put it first and add to it: ${item},+note_read`,
  })
}

function changed(filter: ToolFilter, item: string, profile: string, names: FilterNames): ToolFilter {
  const sign = item[0]
  if (sign !== '+' && sign !== '-') {
    const name = names.profiles.has(item.toLowerCase()) ? item : toolNamed(item, names)
    throw new VaultError(
      'bad_argument',
      `${quoted(name)} stands beside the profile ${quoted(profile)} without + or -.`,
      {
        hint: `Write ${profile},+${name} to add it, or ${profile},-${name} to take it away.`,
      },
    )
  }
  const out = new Map(filter)
  const name = toolNamed(item.slice(1).trim(), names)
  if (sign === '+') out.set(name, 'open')
  else out.delete(name)
  return out
}

function toolNamed(word: string, { tools, profiles }: FilterNames): string {
  const wanted = word.toLowerCase()
  const found = tools.find((tool) => tool.name.toLowerCase() === wanted)
  if (found !== undefined) return found.name
  if (profiles.has(wanted)) {
    throw new VaultError('bad_argument', `${quoted(word)} is a profile, no tool.`, {
      hint: 'Signs stand before tools: !note_delete, or a profile with changes such as read,-note_read.',
    })
  }
  const known = [...tools.map((tool) => tool.name), ...profiles.keys()]
  const near = nearest(word, known, 1)
  const hint =
    near.length > 0
      ? didYouMean(near).trim()
      : `Profiles: ${[...profiles.keys()].join(', ')}. Tools: ${tools.map((t) => t.name).join(', ')}.`
  throw new VaultError('bad_argument', `${quoted(word)} is neither a profile nor a tool.`, { hint })
}

function mixture(what: string): VaultError {
  return new VaultError('bad_argument', `${what} mixes two kinds of filter.`, {
    hint: 'Use a,b (only these), !a,!b (all but these), or a profile with changes (read,+a,-b).',
  })
}

function quoted(word: string | undefined): string {
  return JSON.stringify(word ?? '')
}
