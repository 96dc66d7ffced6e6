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
      { flag: '--json', takes: 'switch', says: 'Print JSON.' },
    ],
  },
  {
    name: 'index',
    summary: 'Bring words and vectors of a vault up to date, and wait for it.',
    usage: 'index [--rebuild] [--json] [VAULT]',
    says: 'A server does the same by itself in the background; this is for having it done before the first question.',
    examples: ['knap index ~/Notes', 'knap index --rebuild --json'],
    needs: 'vault',
    flags: [
      { flag: '--rebuild', takes: 'switch', says: 'Read every note anew.' },
      { flag: '--json', takes: 'switch', says: 'Print JSON.' },
    ],
  },
  {
    name: 'eval',
    summary: 'Measure how well your own questions find their notes.',
    usage: 'eval --evals FILE [--json] [VAULT]',
    says: 'FILE holds a question a line, as JSON: {"query": "…", "expectedSources": ["Note.md"]}, with "folders" and "tags" where they narrow it. Prints hit@1, hit@6, recall@6 and MRR, and the questions whose right note does not come first.',
    examples: ['knap eval --evals examples/evals.jsonl examples/vault'],
    needs: 'vault',
    flags: [
      { flag: '--evals', takes: 'one', says: 'The questions.' },
      { flag: '--json', takes: 'switch', says: 'Print JSON.' },
    ],
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
      { flag: '--json', takes: 'switch', says: 'Print JSON.' },
    ],
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
