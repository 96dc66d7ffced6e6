import { VaultError } from '../errors.ts'
import { scanFrontmatter } from './frontmatter.ts'
import type { TextRange } from './note.ts'

/** Fenced blocks whose language other plugins run as code. */
const RUN_LANGUAGES = new Set([
  'dataviewjs',
  'datacorejs',
  'datacorejsx',
  'datacorets',
  'datacoretsx',
  'js-engine',
  'jsengine',
  'meta-bind-js',
  'meta-bind-js-view',
  'meta-bind-button',
  'button',
  'customjs',
  'templater',
  'charts-js',
  'chartsview',
])

/** Code outside fences that plugins or the web view run, each under the name that a warning gives it. */
const RUN_PATTERNS: readonly (readonly [string, RegExp])[] = [
  ['Templater <% %>', /<%/g],
  ['dataview inline JavaScript', /`\$=/g],
  ['meta-bind button', /`BUTTON\[/g],
  ['JavaScript in a tasks query', /\bby function\b/g],
  ['<script>', /<script\b/gi],
  ['<iframe>', /<iframe\b/gi],
  ['HTML event handler', /<[a-z][^<>]{0,2000}\son[a-z]+\s*=/gi],
  ['javascript: link', /\bjavascript:/gi],
  ['obsidian:// link that runs a command', /obsidian:\/\/(?:advanced-uri|adv-uri|shell-commands)\b/gi],
]

/** A fence's opening line, also behind the marks of quotes and lists: `> - ```lang`, `~~~{lang}`. */
const FENCE = /^[ \t>*+\-.)\d]*(?:`{3,}|~{3,})[ \t]*\{?([\w-]+)/gm

/**
 * What in a text other plugins of the application would execute once the note is opened, each kind once, as words
 * for a warning (`dataviewjs block`, `Templater <% %>`); `[]` where there is none.
 */
export function pluginCodeIn(text: string): string[] {
  return [...countPluginCode(text).keys()]
}

/** As {@link pluginCodeIn}, for a change: the kinds of which `after` holds more than `before`. */
export function pluginCodeAdded(before: string, after: string): string[] {
  const old = countPluginCode(before)
  return [...countPluginCode(after)]
    .filter(([kind, count]) => count > (old.get(kind) ?? 0))
    .map(([kind]) => kind)
}

function countPluginCode(text: string): Map<string, number> {
  const found = new Map<string, number>()
  const add = (kind: string) => found.set(kind, (found.get(kind) ?? 0) + 1)
  for (const [, name] of text.matchAll(FENCE)) {
    const language = name!.toLowerCase()
    // The plugin that executes code takes any language with `run-` in front.
    if (RUN_LANGUAGES.has(language) || language.startsWith('run-')) add(`${language} block`)
  }
  for (const [kind, pattern] of RUN_PATTERNS) for (const _ of text.matchAll(pattern)) add(kind)
  return found
}

/**
 * Refuses a change that would break a property block that was sound.
 * @throws VaultError `bad_frontmatter`
 */
export function keepFrontmatterSound(before: string, after: string): void {
  const old = scanFrontmatter(before).kind
  if (old === 'broken' || old === 'other') return
  const now = scanFrontmatter(after)
  if (now.kind !== 'broken' && (now.kind !== 'other' || old === 'absent')) return
  const problem = now.problems[0]
  throw new VaultError(
    'bad_frontmatter',
    `The change would break the properties: ${problem?.message ?? now.kind}`,
    {
      hint: 'Mend the YAML between the --- lines at the top of the text, or leave that block out.',
      details: { line: problem?.line ?? 1 },
    },
  )
}

/**
 * As {@link keepFrontmatterSound} for a change of a part of a note, which may take the block out as a whole, but
 * leaves no half of it behind and pushes no text above it.
 * @throws VaultError `bad_frontmatter`
 */
export function keepFrontmatterInPlace(before: string, after: string): void {
  keepFrontmatterSound(before, after)
  const { block, yaml } = scanFrontmatter(before)
  if (block === null || yaml === null || scanFrontmatter(after).kind !== 'absent') return
  const fence = /^\ufeff?---[ \t]*(?:\r?\n|$)/
  if (!fence.test(after) && isTakenOut(before, after, { block, yaml })) return
  throw new VaultError(
    'bad_frontmatter',
    'The properties would no longer be a block at the top of the note.',
    {
      hint: 'Take all lines of the block or none; text goes below its closing --- line.',
      details: { line: 1 },
    },
  )
}

/** Did one change take in the whole block, and does none of its lines stand in what came for it? */
function isTakenOut(
  before: string,
  after: string,
  { block, yaml }: { block: TextRange; yaml: TextRange },
): boolean {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let tail = 0
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const closing = before.slice(block.start, block.end).trimEnd().length
  if (start >= block.start + 3 || before.length - tail < block.start + closing) return false
  const words = (text: string) => text.split('\n').map((line) => line.replace(/^[\s>*+#%-]+|\s+$/g, ''))
  const inserted = new Set(words(after.slice(start, after.length - tail)))
  return words(before.slice(yaml.start, yaml.end)).every((line) => line === '' || !inserted.has(line))
}

/**
 * Refuses a whole text whose own property block cannot be read.
 * @throws VaultError `bad_frontmatter`
 */
export function requireSoundFrontmatter(text: string): void {
  const { kind, problems } = scanFrontmatter(text)
  if (kind !== 'broken' && kind !== 'other') return
  const problem = problems[0]
  throw new VaultError(
    'bad_frontmatter',
    `The properties at the top cannot be read: ${problem?.message ?? kind}`,
    {
      hint: 'Between the --- lines stands one `key: value` a line. Text that only begins with a rule needs a blank line above it.',
      details: { line: problem?.line ?? 1 },
    },
  )
}
