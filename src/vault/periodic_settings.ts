import { type Json, objectOf, textOf } from './settings_json.ts'

export const PERIODS = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const
export type Period = (typeof PERIODS)[number]

/** 0 = Sunday to 6 = Saturday. */
export type WeekStart = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** Where the notes of one period live and what they start with; all as written in the vault's settings, trimmed. */
export interface PeriodSettings {
  /** A moment.js format, `/` makes folders; never empty. */
  readonly format: string
  /** `''` is the root. */
  readonly folder: string
  /** `''` is none. */
  readonly template: string
  /** Which file said so; `default` where none did. */
  readonly source: 'periodic-notes' | 'daily-notes' | 'calendar' | 'default'
}

export type PeriodicSettings = Readonly<Record<Period, PeriodSettings>>

/** The standard names of the core plugin and of Periodic Notes. */
export const DEFAULT_FORMATS: Readonly<Record<Period, string>> = {
  daily: 'YYYY-MM-DD',
  weekly: 'gggg-[W]ww',
  monthly: 'YYYY-MM',
  quarterly: 'YYYY-[Q]Q',
  yearly: 'YYYY',
}

/**
 * One place for each period: Periodic Notes where it has the period enabled, then the core daily-notes plugin
 * (days) or the calendar plugin (weeks), then the standard names in the root.
 */
export function choosePeriodicSettings(files: {
  /** `daily-notes.json` */
  readonly daily: Json
  /** `plugins/periodic-notes/data.json`, in its flat shape or with calendar sets. */
  readonly periodicNotes: Json
  /** `plugins/calendar/data.json` */
  readonly calendar: Json
}): { settings: PeriodicSettings; warnings: string[] } {
  const warnings: string[] = []
  const { daily, periodicNotes, calendar } = files
  const pick = (period: Period): PeriodSettings => {
    const plugin = fromPeriodicNotes(periodicNotes, period)
    if (plugin !== null) return make(period, 'periodic-notes', plugin)
    if (period === 'daily' && (daily.format || daily.folder || daily.template)) {
      return make(period, 'daily-notes', daily)
    }
    if (period === 'weekly') {
      const { weeklyNoteFormat: format, weeklyNoteFolder: folder, weeklyNoteTemplate: template } = calendar
      if (format || folder || template) return make(period, 'calendar', { format, folder, template })
    }
    return make(period, 'default', {})
  }
  const make = (period: Period, source: PeriodSettings['source'], from: Json): PeriodSettings => {
    for (const field of ['format', 'folder', 'template', 'templatePath'] as const) {
      const value = from[field]
      if (typeof value === 'string' && value !== value.trim()) {
        warnings.push(`The ${field} setting of ${period} notes has blanks around it; they were dropped.`)
      }
    }
    return {
      format: textOf(from.format) || DEFAULT_FORMATS[period],
      folder: textOf(from.folder),
      template: textOf(from.templatePath) || textOf(from.template),
      source,
    }
  }
  const settings = Object.fromEntries(PERIODS.map((period) => [period, pick(period)]))
  return { settings: settings as Record<Period, PeriodSettings>, warnings }
}

/** How Periodic Notes calls the periods inside a calendar set. */
const GRANULARITY: Readonly<Record<Period, string>> = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
}

function fromPeriodicNotes(data: Json, period: Period): Json | null {
  const set = activeSet(data)
  const config = objectOf(set ? set[GRANULARITY[period]] : data[period])
  return config?.enabled === true ? config : null
}

/** The set that `activeCalendarSet` names, else `Default` (the plugin's own start), else the first one. */
function activeSet(data: Json): Json | null {
  if (!Array.isArray(data.calendarSets)) return null
  const sets = data.calendarSets.map(objectOf).filter((set) => set !== null)
  const named = (id: unknown) => sets.find((set) => set.id === id && id !== undefined)
  return named(data.activeCalendarSet) ?? named('Default') ?? sets[0] ?? null
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** `'monday'` → 1; null for `'locale'` and everything else. */
export function weekStartOf(value: unknown): WeekStart | null {
  const day = WEEKDAYS.indexOf(textOf(value).toLowerCase())
  return day < 0 ? null : (day as WeekStart)
}
