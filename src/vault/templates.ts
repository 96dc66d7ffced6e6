import { localTimeAt } from '../note/local_time.ts'
import { loadCalendar } from '../note/moment_format.ts'
import { expandTemplate } from '../note/template.ts'
import { readNamedTemplate } from './template_file.ts'
import type { Vault } from './vault.ts'

export interface TemplateRequest {
  /** A name in the vault's template folder, or a path. */
  readonly template: string
  readonly title: string
  /** Text that follows the template's. */
  readonly content?: string | undefined
  /** Milliseconds since 1970. */
  readonly now?: number
}

/**
 * The text of a new note from a template, its variables filled in as the core Templates plugin does.
 * @throws VaultError `not_found` with the nearest names, `outside_vault`, `bad_path`
 */
export async function textFromTemplate(vault: Vault, request: TemplateRequest): Promise<string> {
  const settings = await vault.settings()
  const { text } = await readNamedTemplate(vault.templateSource(), settings, request.template)
  const { locale, timezone } = vault.options
  const calendar = await loadCalendar({ locale: settings.locale ?? locale, weekStart: settings.weekStart })
  const expanded = expandTemplate(text, {
    title: request.title,
    at: localTimeAt(request.now ?? Date.now(), timezone),
    calendar,
    dateFormat: settings.templates.dateFormat,
    timeFormat: settings.templates.timeFormat,
    nameFormat: settings.periodic.daily.format,
  })
  const { content } = request
  if (content === undefined || content === '') return expanded
  return expanded === '' || expanded.endsWith('\n') ? expanded + content : `${expanded}\n${content}`
}
