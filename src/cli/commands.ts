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
  /** So many of its first words are its own and name no vault; default 0. */
  readonly ownWords?: number
  readonly flags: readonly CommandFlag[]
}

/** A flag of one command alone. */
export interface CommandFlag {
  readonly flag: string
  readonly takes: 'one' | 'switch' | 'several'
  readonly says: string
}

const JSON_FLAG: CommandFlag = { flag: '--json', takes: 'switch', says: 'Print JSON.' }

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
    name: 'serve',
    summary: 'Serve a vault over HTTP in the background.',
    usage: 'serve [--port PORT] [--json] [OPTION…] VAULT',
    says: 'Starts a server that outlives this terminal, and returns when it answers. --port 0 takes a free port and prints it. It logs into a file of the data folder, which never grows beyond 5 MB; three earlier ones are kept.',
    examples: ['knap serve ~/Notes', 'knap serve --port 0 --json ~/Notes'],
    needs: 'vault',
    flags: [JSON_FLAG],
  },
  {
    name: 'stop',
    summary: 'End a server in the background.',
    usage: 'stop [VAULT]',
    says: 'Ends the server of this vault, or the only one that runs: a process that is proven to be the one that was started, never another that has its number or port now.',
    examples: ['knap stop', 'knap stop ~/Notes'],
    needs: 'settings',
    flags: [],
  },
  {
    name: 'restart',
    summary: 'End a server in the background and start it as before.',
    usage: 'restart [--json] [VAULT]',
    says: 'With the same options, from the same folder, in the environment of this terminal.',
    examples: ['knap restart'],
    needs: 'settings',
    flags: [JSON_FLAG],
  },
  {
    name: 'status',
    summary: 'Print which servers run in the background.',
    usage: 'status [--json]',
    says: 'Ends with 0 where one runs, with 3 where none does.',
    examples: ['knap status', 'knap status --json'],
    needs: 'settings',
    flags: [JSON_FLAG],
  },
  {
    name: 'read',
    summary: 'Print a note, a section or lines of it.',
    usage: 'read [--section HEADING] [--lines A-B] [--json] NOTE [VAULT]',
    says: 'NOTE is its path in the vault, .md optional.',
    examples: ['knap read "Projects/New Oven" ~/Notes', 'knap read Home --section People ~/Notes'],
    needs: 'vault',
    ownWords: 1,
    flags: [
      { flag: '--section', takes: 'one', says: 'This heading and what stands under it; a path as A::B.' },
      { flag: '--lines', takes: 'one', says: 'Lines from 1, as 12 or 12-20.' },
      JSON_FLAG,
    ],
  },
  {
    name: 'search',
    summary: 'Search a vault from the terminal.',
    usage: 'search [--text | --semantic] [--limit N] [--json] QUERY [VAULT]',
    says: 'Finds by words and meaning together, as search_hybrid does; with --text by words alone, with --semantic by meaning alone, which waits until every note is embedded.',
    examples: [
      'knap search "how do we pay for the oven" ~/Notes',
      'knap search --text "+oven -price" --json',
    ],
    needs: 'vault',
    ownWords: 1,
    flags: [
      { flag: '--text', takes: 'switch', says: 'By words alone.' },
      { flag: '--semantic', takes: 'switch', says: 'By meaning alone.' },
      { flag: '--limit', takes: 'one', says: 'At most this many hits (default 10).' },
      JSON_FLAG,
    ],
  },
  {
    name: 'index',
    summary: 'Bring words and vectors of a vault up to date, and wait for it.',
    usage: 'index [--rebuild] [--json] [VAULT]',
    says: 'A server does the same by itself in the background; this is for having it done before the first question.',
    examples: ['knap index ~/Notes', 'knap index --rebuild --json'],
    needs: 'vault',
    flags: [{ flag: '--rebuild', takes: 'switch', says: 'Read every note anew.' }, JSON_FLAG],
  },
  {
    name: 'eval',
    summary: 'Measure how well your own questions find their notes.',
    usage: 'eval --evals FILE [--json] [VAULT]',
    says: 'FILE holds a question a line, as JSON: {"query": "…", "expectedSources": ["Note.md"]}, with "folders" and "tags" where they narrow it. Prints hit@1, hit@6, recall@6 and MRR, and the questions whose right note does not come first.',
    examples: ['knap eval --evals examples/evals.jsonl examples/vault'],
    needs: 'vault',
    flags: [{ flag: '--evals', takes: 'one', says: 'The questions.' }, JSON_FLAG],
  },
  {
    name: 'model',
    summary: 'List, fetch or add embedding models.',
    usage: 'model [list | pull NAME | add FOLDER]',
    says: 'A model for English ships. multilingual-e5-small speaks about 100 languages: pull fetches it from the hub, goes on where it was interrupted and compares its hash; add takes it from a folder, without any network.',
    examples: ['knap model list', 'knap model pull multilingual-e5-small'],
    needs: 'settings',
    ownWords: 2,
    flags: [{ flag: '--hub', takes: 'one', says: 'Address of another hub.' }],
  },
  {
    name: 'docs',
    summary: 'Index, search or export the manuals beside the vault.',
    usage: 'docs [index [FOLDERS] | status | search QUERY | export FILE] [--corpus NAME] [--json]',
    says: 'Manuals are named under docs.corpora; obsidian-help and obsidian-developer-docs can be asked for by --corpus alone. index reads them anew (FOLDERS: names with commas between) and waits for it; export writes one with its vectors as a file for docs.prebuilt_url.',
    examples: [
      'knap docs index en,Sandbox --corpus obsidian-help',
      'knap docs search "how do I register a view"',
      'knap docs export manual.knap',
    ],
    needs: 'settings',
    ownWords: 2,
    flags: [
      { flag: '--corpus', takes: 'one', says: 'This one alone.' },
      { flag: '--limit', takes: 'one', says: 'At most this many hits (default 3).' },
      JSON_FLAG,
    ],
  },
  {
    name: 'config',
    summary: 'Print the settings in force, and where each comes from.',
    usage: 'config [--json] [OPTION…] [VAULT]',
    says: 'Prints every setting with its value and its origin: a flag, a variable, a file or the default. Secrets are masked.',
    examples: ['knap config', 'knap config --json', 'OBSIDIAN_TOOLS=read knap config ~/Notes'],
    needs: 'settings',
    flags: [JSON_FLAG],
  },
  {
    name: 'setup',
    summary: 'Put the server into the settings of a client program.',
    usage: 'setup [--print | --remove] [--name NAME] [CLIENT VAULT]',
    says: 'Shows the exact change and writes it; a copy of the file stays beside it, other servers and comments are not touched. Without a client it lists those that are known.',
    examples: [
      'knap setup',
      'knap setup claude-code ~/Notes',
      'knap setup cursor --print ~/Notes',
      'knap setup cursor --remove',
    ],
    needs: 'settings',
    ownWords: 1,
    flags: [
      { flag: '--print', takes: 'switch', says: 'Only show the change.' },
      { flag: '--remove', takes: 'switch', says: 'Take the server out again.' },
      { flag: '--name', takes: 'one', says: 'What the server is called in the client (default knap).' },
    ],
  },
  {
    name: 'doctor',
    summary: 'Look for what could keep the server from working.',
    usage: 'doctor [--json] [VAULT]',
    says: 'Checks the runtime, optional parts, the vault and its limits, folders, locks, the model and the port, and says what to do about each fault. Ends with 1 where something fails.',
    examples: ['knap doctor ~/Notes'],
    needs: 'settings',
    flags: [JSON_FLAG],
  },
  {
    name: 'data',
    summary: 'Show, prune or remove what is kept outside of vaults.',
    usage: 'data [show | prune | remove --yes] [--json] [--vault VAULT]',
    says: 'History, index and vectors of a vault, or of all. prune drops history beyond its bounds; remove forgets everything, notes excepted.',
    examples: ['knap data', 'knap data prune --vault ~/Notes', 'knap data remove --yes --vault ~/Notes'],
    needs: 'settings',
    ownWords: 1,
    flags: [{ flag: '--yes', takes: 'switch', says: 'Do remove it.' }, JSON_FLAG],
  },
  {
    name: 'completions',
    summary: 'Print a script that completes commands in your shell.',
    usage: 'completions bash|zsh|fish',
    says: 'For example: knap completions bash > ~/.local/share/bash-completion/completions/knap',
    examples: ['knap completions zsh'],
    needs: 'settings',
    ownWords: 1,
    flags: [],
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
