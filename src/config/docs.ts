import type { HelpOption } from '../cli/help.ts'
import { SETTINGS, type Setting } from './schema.ts'

/** Every setting that has a flag, for the help. */
export function helpOptions(): HelpOption[] {
  return SETTINGS.flatMap((setting) => {
    const { flag, takes, env, says } = setting
    return flag === null ? [] : [{ flag, takes, variable: env[0] ?? '', fallback: fallbackOf(setting), says }]
  })
}

/** All settings as a Markdown table: variable, flag, key, default, meaning. Ends with a line end. */
export function settingsTable(): string {
  const rows = SETTINGS.map((setting) =>
    [
      setting.env.map(code).join(', '),
      setting.flag === null ? '' : code(setting.flag),
      code(setting.fileKey),
      fallbackOf(setting),
      setting.says,
    ].map(cell),
  )
  const head = ['Variable', 'Flag', 'Key in `knap.yaml`', 'Default', 'Meaning']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')
}

function fallbackOf({ fallback, fallbackSays }: Setting): string {
  if (fallbackSays !== undefined) return fallbackSays
  if (fallback === null || (Array.isArray(fallback) && fallback.length === 0)) return ''
  return code(String(fallback))
}

function code(text: string): string {
  return `\`${text}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
