/** One command of the program, as the help shows it and the arguments are read by it. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** What stands behind `knap`, e.g. `config [--json] [VAULT]`. */
  readonly usage: string
  /** A few sentences, for its own help. */
  readonly says: string
  readonly examples: readonly string[]
  /**
   * - `vault`: serves or looks at a vault, which its one word may name
   * - `settings`: prints settings; its one word may name a vault
   * - `nothing`: needs no settings at all: wrong ones do not stop it
   */
  readonly needs: 'vault' | 'settings' | 'nothing'
  readonly flags: readonly CommandFlag[]
}

/** A flag of one command alone. */
export interface CommandFlag {
  readonly flag: string
  readonly takes: 'one' | 'switch' | 'several'
  readonly says: string
}

/** The command where none is named. */
export const RUN = 'run'

export const COMMANDS: readonly Command[] = [
  {
    name: RUN,
    summary: 'Serve a vault to MCP clients (the command where none is named).',
    usage: '[run] [--http] [OPTION…] VAULT',
    says: 'Serves over standard input and output, which is how most clients start a server; with --http on a port that several clients share. Ends when its input ends, or at Ctrl-C.',
    examples: [
      'knap ~/Notes',
      'knap --http --port 8080 ~/Notes',
      'knap --vault work=~/Work --vault home=~/Notes',
    ],
    needs: 'vault',
    flags: [],
  },
  {
    name: 'config',
    summary: 'Print the settings in force, and where each comes from.',
    usage: 'config [--json] [OPTION…] [VAULT]',
    says: 'Prints every setting with its value and its origin: a flag, a variable, a file or the default. Secrets are masked.',
    examples: ['knap config', 'knap config --json', 'OBSIDIAN_TOOLS=read knap config ~/Notes'],
    needs: 'settings',
    flags: [{ flag: '--json', takes: 'switch', says: 'Print JSON.' }],
  },
  {
    name: 'help',
    summary: 'Print how the program or one of its commands is used.',
    usage: 'help [COMMAND]',
    says: 'The same as --help.',
    examples: ['knap help', 'knap help config'],
    needs: 'nothing',
    flags: [],
  },
  {
    name: 'version',
    summary: 'Print the version.',
    usage: 'version',
    says: 'The same as --version.',
    examples: ['knap version'],
    needs: 'nothing',
    flags: [],
  },
]

export function commandNamed(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name)
}
