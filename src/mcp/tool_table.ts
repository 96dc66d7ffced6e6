import type { Profile } from './profile_files.ts'
import { inputSchemaOf, type JsonSchema } from './schema.ts'
import type { Tool } from './tool.ts'

/** The tools as a Markdown table, from their schemas: name, what it does, parameters. Ends with a line end. */
export function toolTable(tools: readonly Tool[]): string {
  const rows = tools.map((tool) =>
    [`\`${tool.name}\``, firstSentence(tool.description), parameters(tool)].map(cell),
  )
  return table(['Tool', 'What it does', 'Parameters'], rows)
}

/** The profiles as a Markdown table: name, what it is for, how many tools are open as a whole and for reading. */
export function profileTable(profiles: Iterable<Profile>): string {
  const rows = [...profiles].map(({ name, description, tools, readingActionsOf }) =>
    [
      `\`${name}\``,
      description,
      String(tools.length),
      readingActionsOf.map((tool) => `\`${tool}\``).join(', '),
    ].map(cell),
  )
  return table(['Profile', 'What it opens', 'Tools', 'Reading actions of'], rows)
}

/** Up to the first full stop that stands in no bracket. */
function firstSentence(description: string): string {
  let depth = 0
  for (let at = 0; at < description.length; at++) {
    const character = description[at]
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '.' && depth === 0 && /^(\s|$)/.test(description.slice(at + 1)))
      return description.slice(0, at + 1)
  }
  return description
}

function parameters(tool: Tool): string {
  const schema = inputSchemaOf(tool.input)
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {})
    .map(([name, property]) => parameter(name, property, required.has(name)))
    .join(', ')
}

function parameter(name: string, { default: fallback, enum: values }: JsonSchema, required: boolean): string {
  const choices = values === undefined ? '' : ` ${values.join('\\|')}`
  const known = fallback === undefined ? '' : ` = ${JSON.stringify(fallback)}`
  return required ? `**\`${name}\`**${choices}` : `\`${name}\`${choices}${known}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')
}

function cell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|').replace(/\s*\n\s*/g, ' ')
}
