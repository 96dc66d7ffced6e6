import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { ToolSet } from './registry.ts'
import type { ResourceView } from './resources.ts'

interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
  /** The tools that it cannot do without. */
  readonly needs: readonly string[]
  readonly text: (args: Readonly<Record<string, string>>, tools: ToolSet) => string
}

/** With several vaults each call names one. */
const VAULT: PromptArgument = { name: 'vault', description: 'Which vault', required: false }

const PROMPTS: readonly Prompt[] = [
  {
    name: 'daily-review',
    title: 'Review a day',
    description: 'Reads the daily note, the open tasks and what was edited last, and proposes a short plan.',
    arguments: [{ name: 'date', description: 'YYYY-MM-DD, default today', required: false }],
    needs: ['periodic', 'tasks'],
    text: ({ date }, tools) =>
      [
        `Review my day${date ? ` of ${date}` : ''}.`,
        '',
        `1. Read the daily note: periodic with action "get", period "daily"${date ? `, date "${date}"` : ''}. If there is none, say so and go on.`,
        '2. List the open tasks: tasks with action "list". Those that are due or overdue come first.',
        ...(has(tools, 'note_find') ? ['3. Look at what was edited last: note_find with recent true.'] : []),
        '',
        'Then answer in at most 15 lines: what was done, what is open (each with its note as path#heading), and three things to do next. Change nothing unless I ask for it.',
      ].join('\n'),
  },
  {
    name: 'find-and-cite',
    title: 'Answer from the notes',
    description: 'Answers a question from the notes alone and cites each statement as path#heading.',
    arguments: [
      { name: 'question', description: 'What you want to know', required: true },
      { name: 'folder', description: 'Only notes below this folder', required: false },
      { name: 'tag', description: 'Only notes with this tag', required: false },
    ],
    needs: ['note_read'],
    text: ({ question, folder, tag }, tools) => {
      const search = has(tools, 'search_hybrid') ? 'search_hybrid' : 'search_text'
      const filters = [
        ...(folder ? [search === 'search_hybrid' ? `folders ["${folder}"]` : `path "${folder}"`] : []),
        ...(tag ? [search === 'search_hybrid' ? `tags ["${tag}"]` : `tag "${tag}"`] : []),
      ]
      return [
        `Answer this from my notes: ${question}`,
        '',
        `1. Search with ${search}${filters.length > 0 ? ` (${filters.join(', ')})` : ''}; try two or three wordings.`,
        '2. Read the sections that matter with note_read before you rely on them.',
        '',
        'Answer briefly. Put the source behind each statement as path#heading. Say plainly what the notes do not tell; add nothing from elsewhere.',
      ].join('\n')
    },
  },
  {
    name: 'tidy-links',
    title: 'Tidy links',
    description: 'Finds broken links and notes that nothing links to, and proposes repairs.',
    arguments: [{ name: 'path', description: 'One note; all of them without it', required: false }],
    needs: ['wikilinks', 'note_read'],
    text: ({ path }, tools) =>
      [
        path ? `Tidy the links of ${path}.` : 'Tidy the links of my vault.',
        '',
        `1. List what leads nowhere: wikilinks with query "broken"${path ? `, path "${path}"` : ''}.`,
        path
          ? `2. List where it is mentioned without a link: wikilinks with query "unlinked", path "${path}".`
          : '2. List the notes that nothing links to: wikilinks with query "orphans".',
        ...(has(tools, 'note_find')
          ? ['3. For each broken link look for the note that was meant: note_find with its name.']
          : []),
        '',
        'Propose the repairs as a table: note, line, link as it is, link as it should be, and how sure you are. Change nothing before I have agreed; then change one link at a time with note_replace and expected_revision.',
      ].join('\n'),
  },
]

/** The prompts whose tools are open. */
export function listPrompts(view: ResourceView) {
  return {
    prompts: offered(view).map(({ name, title, description, arguments: own }) => ({
      name,
      title,
      description,
      arguments: [...own, ...(view.vaults.length > 1 ? [VAULT] : [])],
    })),
  }
}

export function offersPrompts(view: ResourceView): boolean {
  return offered(view).length > 0
}

/** @throws ProtocolError for a prompt that is not offered, or without an argument that it needs */
export function getPrompt(view: ResourceView, name: string, args: Readonly<Record<string, string>>) {
  const prompt = offered(view).find((known) => known.name === name)
  if (prompt === undefined) throw wrong(`There is no prompt ${JSON.stringify(name)} here.`)
  const missing = prompt.arguments.find((argument) => argument.required && !args[argument.name]?.trim())
  if (missing) throw wrong(`The prompt ${name} needs "${missing.name}": ${missing.description}.`)
  const vault = args.vault ? `\n\nThe vault is "${args.vault}": name it in every call.` : ''
  return {
    description: prompt.description,
    messages: [
      {
        role: 'user' as const,
        content: { type: 'text' as const, text: prompt.text(args, view.tools) + vault },
      },
    ],
  }
}

function offered({ vaults, tools }: ResourceView): Prompt[] {
  if (vaults.length === 0) return []
  return PROMPTS.filter(({ name, needs }) => {
    const canSearch = has(tools, 'search_hybrid') || has(tools, 'search_text')
    return needs.every((tool) => has(tools, tool)) && (name !== 'find-and-cite' || canSearch)
  })
}

function has(tools: ToolSet, name: string): boolean {
  return tools.find(name) !== undefined
}

function wrong(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
