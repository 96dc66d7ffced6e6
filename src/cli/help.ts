import { COMMANDS, type Command, commandNamed } from './commands.ts'

/** A setting as the help lists it. */
export interface HelpOption {
  readonly flag: string
  readonly takes: 'one' | 'switch' | 'several'
  readonly variable: string
  /** The default in words, or '' where there is none worth a word. */
  readonly fallback: string
  readonly says: string
}

/** Columns of a line, its margin included: what fits into a terminal of ordinary width. */
const WIDTH = 100

/**
 * The help of the program, or of one command.
 * @param name of the command, as typed; null for the program
 * @returns text that ends with a line end; for an unknown command the program's help
 */
export function helpText(name: string | null, options: readonly HelpOption[]): string {
  const command = name === null ? undefined : commandNamed(name)
  return command === undefined ? programHelp(options) : commandHelp(command, options)
}

function programHelp(options: readonly HelpOption[]): string {
  const commands = COMMANDS.map((command) => row(command.name, command.summary, 13))
  return [
    'Knap serves Obsidian vaults to AI agents over MCP.',
    '',
    'Usage',
    ...COMMANDS.map((command) => `  knap ${command.usage}`),
    '',
    'Commands',
    ...commands,
    '',
    'Examples',
    ...(commandNamed('run') as Command).examples.map((example) => `  ${example}`),
    '',
    'Options (each also as a variable, or as a key of knap.yaml)',
    ...options.flatMap(optionLines),
    '  --config FILE',
    ...indented('Read this file instead of knap.yaml in the folder for settings, and the .env beside it.'),
    '  -h, --help    -V, --version',
    '',
  ].join('\n')
}

function commandHelp(command: Command, options: readonly HelpOption[]): string {
  const own = command.flags.flatMap(({ flag, takes, says }) =>
    optionLines({ flag, takes, says, variable: '', fallback: '' }),
  )
  return [
    `Usage: knap ${command.usage}`,
    '',
    ...wrapped(command.says, WIDTH),
    '',
    'Examples',
    ...command.examples.map((example) => `  ${example}`),
    ...(own.length === 0 ? [] : ['', 'Its own options', ...own]),
    ...(command.needs === 'nothing'
      ? []
      : [
          '',
          'Options (knap help explains them)',
          ...wrapped(options.map((o) => o.flag).join('  '), WIDTH - 2).map((line) => `  ${line}`),
        ]),
    '',
  ].join('\n')
}

const VALUES = { one: ' VALUE', several: ' VALUE (repeatable)', switch: '' }

function optionLines({ flag, takes, variable, fallback, says }: HelpOption): string[] {
  const named = variable === '' ? '' : `  ${variable}`
  const known = fallback === '' ? '' : ` Default: ${fallback}.`
  // A command's own switches are off unless given; those of settings may be on by default.
  const shown = takes === 'switch' && variable !== '' ? `--[no-]${flag.slice(2)}` : flag
  return [
    `  ${shown}${VALUES[takes]}${named}`,
    ...indented(says.replaceAll('`', '') + known.replaceAll('`', '')),
  ]
}

function indented(text: string): string[] {
  return wrapped(text, WIDTH - 6).map((line) => `      ${line}`)
}

function row(name: string, says: string, column: number): string {
  const [first = '', ...rest] = wrapped(says, WIDTH - column - 2)
  return [`  ${name.padEnd(column)}${first}`, ...rest.map((line) => ' '.repeat(column + 2) + line)].join('\n')
}

function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) as string
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
