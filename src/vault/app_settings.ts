import { VaultError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import {
  choosePeriodicSettings,
  type PeriodicSettings,
  type WeekStart,
  weekStartOf,
} from './periodic_settings.ts'
import { type Json, objectOf, textOf } from './settings_json.ts'

/** What the note application and its plugins were told about this vault, as far as it steers what we write. */
export interface AppSettings {
  readonly newLinkFormat: 'shortest' | 'relative' | 'absolute'
  readonly useMarkdownLinks: boolean
  /** As written: `/` the root, `Folder`, `./` the note's own folder, `./sub` below it. */
  readonly attachmentFolderPath: string
  /** Without the setting `local`: what a program deletes stays where its owner finds it. */
  readonly trashOption: 'system' | 'local' | 'none'
  /** Path prefixes, and regular expressions between slashes. They only lower a note's rank. */
  readonly userIgnoreFilters: readonly string[]
  readonly templates: TemplateSettings
  readonly periodic: PeriodicSettings
  /** First day of the week, 0 = Sunday, or null where the locale decides. */
  readonly weekStart: WeekStart | null
  /** The calendar plugins' own locale, or null where the program's decides. */
  readonly locale: string | null
  /** One sentence for each file that could not be used. */
  readonly warnings: readonly string[]
}

export interface TemplateSettings {
  /** As written, or null where the vault names no template folder. */
  readonly folder: string | null
  /** What `{{date}}` prints. */
  readonly dateFormat: string
  /** What `{{time}}` prints. */
  readonly timeFormat: string
}

/**
 * Reads the settings as they are now; missing files mean the application's defaults, broken ones too, with a warning.
 * @throws VaultError `unavailable`, `timeout` when a file may be there and could not be looked at: guessing would
 * put notes into the wrong place
 */
export async function readAppSettings(storage: Storage): Promise<AppSettings> {
  const warnings: string[] = []
  const read = (name: string) => readObject(storage, `.obsidian/${name}`, warnings)
  const [app, templates, daily, plugins, periodicNotes, calendar] = await Promise.all([
    read('app.json'),
    read('templates.json'),
    read('daily-notes.json'),
    readJson(storage, '.obsidian/community-plugins.json', warnings),
    read('plugins/periodic-notes/data.json'),
    read('plugins/calendar/data.json'),
  ])
  const runs = (plugin: string) => !Array.isArray(plugins) || plugins.includes(plugin)
  const calendarIfOn = runs('calendar') ? calendar : {}
  const periodic = choosePeriodicSettings({
    daily,
    periodicNotes: runs('periodic-notes') ? periodicNotes : {},
    calendar: calendarIfOn,
  })
  return {
    newLinkFormat: oneOf(app.newLinkFormat, ['shortest', 'relative', 'absolute']),
    useMarkdownLinks: app.useMarkdownLinks === true,
    attachmentFolderPath: textOf(app.attachmentFolderPath) || '/',
    trashOption: oneOf(app.trashOption, ['local', 'system', 'none']),
    userIgnoreFilters: textsOf(app.userIgnoreFilters),
    templates: {
      folder: textOf(templates.folder) || null,
      dateFormat: textOf(templates.dateFormat) || 'YYYY-MM-DD',
      timeFormat: textOf(templates.timeFormat) || 'HH:mm',
    },
    periodic: periodic.settings,
    weekStart: weekStartOf(calendarIfOn.weekStart) ?? weekStartOf(app.weekStart),
    locale: localeOf(calendarIfOn.localeOverride) ?? localeOf(app.localeOverride),
    warnings: [...warnings, ...periodic.warnings],
  }
}

/** Settings files are small; a larger one is something else. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024

/** Codes that say for sure that no usable file is there, against "could not look". */
const DEFINITELY_UNUSABLE = new Set(['is_folder', 'outside_vault', 'bad_path', 'too_large', 'excluded'])

async function readJson(storage: Storage, path: string, warnings: string[]): Promise<unknown> {
  let bytes: Uint8Array
  try {
    bytes = await storage.read(path, { maxBytes: MAX_SETTINGS_BYTES })
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    if (error.code === 'not_found') return undefined
    if (!DEFINITELY_UNUSABLE.has(error.code)) throw error
    warnings.push(`${path} could not be used (${error.code}), so the defaults serve.`)
    return undefined
  }
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    warnings.push(`${path} is no valid JSON, so the defaults serve.`)
    return undefined
  }
}

async function readObject(storage: Storage, path: string, warnings: string[]): Promise<Json> {
  const value = await readJson(storage, path, warnings)
  if (value !== undefined && objectOf(value) === null) {
    warnings.push(`${path} holds no JSON object, so the defaults serve.`)
  }
  return objectOf(value) ?? {}
}

function oneOf<const T extends string>(value: unknown, allowed: readonly [T, ...T[]]): T {
  return allowed.find((a) => a === value) ?? allowed[0]
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string' && v !== '') : []
}

function localeOf(value: unknown): string | null {
  const locale = textOf(value)
  return locale === '' || locale === 'system-default' ? null : locale
}
