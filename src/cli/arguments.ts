import { didYouMean, nearest } from '../text/nearest.ts'
import { COMMANDS, type Command, commandNamed, RUN } from './commands.ts'

/** A flag that every command takes. */
export interface FlagForm {
  /** With its dashes, e.g. `--port`. */
  readonly flag: string
  /** What it sets. Several flags may set the same. */
  readonly sets: string
  readonly takes: 'one' | 'switch' | 'several'
  /** The value that it stands for, where it takes none: `--http`. */
  readonly gives?: string
}

/** A value from the command line: as text, a list where its flag may be repeated, a boolean for a switch without value. */
export type FlagValue = string | readonly string[] | boolean

/** Arguments, sorted but not yet understood. */
export interface SortedArguments {
  readonly command: Command
  /** What is neither a command nor a flag. */
  readonly words: readonly string[]
  /** By what they set: the value, and the flag that gave it as it was typed. */
  readonly settings: ReadonlyMap<string, { readonly value: FlagValue; readonly flag: string }>
  /** Flags of the command itself, by name with its dashes. */
  readonly flags: ReadonlyMap<string, FlagValue>
}

/**
 * Sorts a command line: `--flag value`, `--flag=value`, `--switch`, `--no-switch`, `--` before words that begin
 * with a dash. Of a flag given twice the last counts, except where it collects.
 * @param argv without the program's own name
 * @throws Error in one line: an unknown flag with the nearest known one, a flag without its value
 */
export function sortArguments(argv: readonly string[], forms: readonly FlagForm[]): SortedArguments {
  const asked = beforeDashes(argv)
  if (asked.includes('--version') || asked.includes('-V')) return bare('version', [])
  const { command, rest } = commandOf(argv)
  if (asked.includes('--help') || asked.includes('-h'))
    return bare('help', rest === argv ? [] : [command.name])
  const own: FlagForm[] = command.flags.map(({ flag, takes }) => ({
    flag,
    takes,
    sets: `own ${flag}`,
  }))
  const { words, values } = readWords(rest, [...own, ...forms])
  const settings = new Map([...values].filter(([sets]) => !sets.startsWith('own ')))
  const flags = new Map(
    [...values].filter(([sets]) => sets.startsWith('own ')).map(([s, v]) => [s.slice(4), v.value]),
  )
  return { command, words, settings, flags }
}

function bare(name: string, words: readonly string[]): SortedArguments {
  return { command: commandNamed(name) as Command, words, settings: new Map(), flags: new Map() }
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const dashes = argv.indexOf('--')
  return dashes < 0 ? argv : argv.slice(0, dashes)
}

/** The first word is a command where it is called like one: a folder of that name is written `./config`. */
function commandOf(argv: readonly string[]): { command: Command; rest: readonly string[] } {
  const named = commandNamed(argv[0] ?? '')
  if (named) return { command: named, rest: argv.slice(1) }
  return { command: commandNamed(RUN) as Command, rest: argv }
}

interface Values {
  readonly words: string[]
  readonly values: Map<string, { value: FlagValue; flag: string }>
}

function readWords(rest: readonly string[], forms: readonly FlagForm[]): Values {
  const out: Values = { words: [], values: new Map() }
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] as string
    if (word === '--') {
      out.words.push(...rest.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      out.words.push(word)
      continue
    }
    at += readFlag(word, rest[at + 1], forms, out)
  }
  return out
}

const SWITCH_WORDS = new Set(['true', 'false', 'yes', 'no', 'on', 'off'])

/** @returns how many of the following words it took */
function readFlag(word: string, next: string | undefined, forms: readonly FlagForm[], out: Values): 0 | 1 {
  const equals = word.indexOf('=')
  const flag = equals < 0 ? word : word.slice(0, equals)
  const attached = equals < 0 ? undefined : word.slice(equals + 1)
  const form = forms.find((f) => f.flag === flag)
  if (form === undefined) {
    const denied = forms.find((f) => f.takes === 'switch' && `--no-${f.flag.slice(2)}` === flag)
    if (denied === undefined) throw unknownFlag(flag, forms)
    if (attached !== undefined) throw new Error(`${flag} takes no value; use ${denied.flag}=${attached}`)
    put(out, denied, false, flag)
    return 0
  }
  if (form.gives !== undefined) {
    if (attached !== undefined) throw new Error(`${flag} takes no value`)
    put(out, form, form.gives, flag)
    return 0
  }
  if (attached !== undefined) {
    put(out, form, attached, flag)
    return 0
  }
  if (form.takes === 'switch') {
    const value = next !== undefined && SWITCH_WORDS.has(next.toLowerCase()) ? next : undefined
    put(out, form, value ?? true, flag)
    return value === undefined ? 0 : 1
  }
  if (next === undefined || /^--?[a-z]/i.test(next)) throw new Error(`${flag} needs a value: ${flag} VALUE`)
  put(out, form, next, flag)
  return 1
}

function put({ values }: Values, form: FlagForm, value: FlagValue, flag: string): void {
  const before = values.get(form.sets)?.value
  if (form.takes === 'several' && typeof value === 'string') {
    values.set(form.sets, { value: [...(Array.isArray(before) ? before : []), value], flag })
  } else {
    values.set(form.sets, { value, flag })
  }
}

function unknownFlag(flag: string, forms: readonly FlagForm[]): Error {
  const known = [...forms.map((form) => form.flag), '--help', '--version', '--config']
  const near = nearest(flag, known, 1)
  return new Error(`there is no flag ${flag}.${didYouMean(near) || ' "knap --help" lists them all.'}`)
}

/** The command that a word was meant for, where it lies within two letters of one. */
export function mistypedCommand(word: string): string | undefined {
  if (!/^[a-z]{3,}$/i.test(word)) return undefined
  return nearest(
    word,
    COMMANDS.map((command) => command.name),
    1,
  )[0]
}
