import { VaultError } from '../errors.ts'
import { type IsoDate, isoDate, type LocalTime, localTimeAt, onDate } from '../note/local_time.ts'
import { type Calendar, type CalendarUnit, loadCalendar, unescapedWords } from '../note/moment_format.ts'
import { isNotePath, joinPath, stemOf, type VaultPath } from '../note/path.ts'
import { expandTemplate } from '../note/template.ts'
import type { AppSettings } from './app_settings.ts'
import { DEFAULT_FORMATS, type Period, type PeriodSettings } from './periodic_settings.ts'
import { insidePath, pathFromSettings } from './settings_path.ts'
import { readSettingsTemplate, type TemplateSource } from './template_file.ts'

/** What the answers depend on beside the vault's files. */
export interface PeriodicContext extends TemplateSource {
  readonly settings: AppSettings
  /** Milliseconds since 1970. */
  readonly now: number
  /** IANA name of the zone in which "today" is meant. */
  readonly zone: string
  /** Used unless the vault's calendar plugin names one. */
  readonly locale: string
}

/** The notes of one period, ready to name and to read names. */
export interface PeriodicSpec {
  readonly period: Period
  readonly format: string
  /** Inside the vault; `''` is the root. */
  readonly folder: VaultPath
  /** As in the settings; `''` is none. */
  readonly template: string
  readonly source: PeriodSettings['source']
  readonly calendar: Calendar
  readonly warnings: readonly string[]
}

export interface PeriodicRequest {
  readonly period: Period
  /** `YYYY-MM-DD`; today where left out. */
  readonly date?: string | undefined
}

export interface PeriodicNote {
  readonly path: VaultPath
  readonly title: string
  /** The day that was asked for or, in lists, the first day that the name stands for. */
  readonly date: IsoDate
}

export interface CreatePlan extends PeriodicNote {
  /** The new note's whole text. */
  readonly content: string
  /** The template that `content` comes from, or null. */
  readonly template: VaultPath | null
  readonly warnings: readonly string[]
}

export interface AppendPlan extends PeriodicNote {
  /** Null where the note is there; else the plan that makes it. */
  readonly create: CreatePlan | null
}

/** @throws VaultError `outside_vault`, `bad_path` for a folder setting that leads out of the vault or is hidden */
async function periodicSpec(context: PeriodicContext, period: Period): Promise<PeriodicSpec> {
  const { settings, storage } = context
  const { format, folder, template, source } = settings.periodic[period]
  const what = `The folder setting of ${period} notes`
  const path = await pathFromSettings(storage, folder, what)
  const words = unescapedWords(format)
  const warnings = words.map(
    (word) =>
      `The format "${format}" reads letters of "${word}" as parts of the date; meant literally it is [${word}].`,
  )
  return {
    period,
    format,
    folder: path,
    template,
    source,
    calendar: await loadCalendar({
      locale: settings.locale ?? context.locale,
      weekStart: settings.weekStart,
    }),
    warnings: [...settings.warnings, ...warnings],
  }
}

/** The path that the application would give the note of that time. @throws VaultError as {@link periodicSpec} */
function periodicPath(spec: PeriodicSpec, at: LocalTime): VaultPath {
  const name = insidePath(spec.calendar.format(at, spec.format), `The format setting of ${spec.period} notes`)
  if (name === '') {
    throw new VaultError(
      'bad_path',
      `The format "${spec.format}" of ${spec.period} notes gives an empty name.`,
      {
        hint: `Set a format such as ${DEFAULT_FORMATS[spec.period]} in the application.`,
      },
    )
  }
  return joinPath(spec.folder, isNotePath(name) ? name : `${name}.md`)
}

/**
 * The day that a path names under this format, the folder setting included; null for every other path.
 * @param assumedYear for formats without a year
 */
function parsePeriodicPath(spec: PeriodicSpec, path: VaultPath, assumedYear: number): IsoDate | null {
  if (!isNotePath(path)) return null
  const below = spec.folder === '' ? path : path.slice(spec.folder.length + 1)
  if (joinPath(spec.folder, below) !== path) return null
  return (
    spec.calendar.parse(below.slice(0, -3), spec.format, assumedYear) ??
    spec.calendar.parse(below, spec.format, assumedYear)
  )
}

/**
 * @throws VaultError `not_found` with the path that would be made; `not_configured` where, besides, nothing in the vault
 * sets up this period (days are the application's own, with a standard name); `bad_argument` for a date that is none
 */
export async function findPeriodic(
  context: PeriodicContext,
  request: PeriodicRequest,
): Promise<PeriodicNote> {
  const spec = await periodicSpec(context, request.period)
  const { exists, ...note } = await locate(context, spec, timeOf(context, request))
  if (exists) return note
  const { path, date, title } = note
  const standing =
    spec.source === 'default'
      ? ` The vault has no settings for ${spec.period} notes, so the standard name and the root serve.`
      : ''
  const code = spec.source === 'default' && spec.period !== 'daily' ? 'not_configured' : 'not_found'
  throw new VaultError(code, `There is no ${spec.period} note for ${date} (${path}).${standing}`, {
    hint: 'Make it with action "create" or "append", or see action "list".',
    details: { path, date, title, configured: spec.source !== 'default' },
  })
}

/**
 * What a new note holds: `content` where given, else the expanded template, else nothing.
 * @throws VaultError `already_exists`, `bad_argument`, `outside_vault`, `bad_path`
 */
export async function planPeriodicCreate(
  context: PeriodicContext,
  request: PeriodicRequest & { readonly content?: string | undefined },
): Promise<CreatePlan> {
  const spec = await periodicSpec(context, request.period)
  const at = timeOf(context, request)
  const note = await locate(context, spec, at)
  if (note.exists) {
    throw new VaultError('already_exists', `The ${spec.period} note ${note.path} exists.`, {
      hint: 'Read it with action "get", or add to it with action "append".',
      details: { path: note.path },
    })
  }
  return await planNew(context, spec, { note, at, content: request.content })
}

/** Where appended text goes. @throws VaultError as {@link planPeriodicCreate}, `already_exists` excepted */
export async function planPeriodicAppend(
  context: PeriodicContext,
  request: PeriodicRequest,
): Promise<AppendPlan> {
  const spec = await periodicSpec(context, request.period)
  const at = timeOf(context, request)
  const { exists, ...note } = await locate(context, spec, at)
  return { ...note, create: exists ? null : await planNew(context, spec, { note, at }) }
}

/** Every note of the period, newest first. A folder that is not there holds none. */
export async function listPeriodic(context: PeriodicContext, period: Period): Promise<PeriodicNote[]> {
  return await notesOf(context, await periodicSpec(context, period))
}

async function notesOf(context: PeriodicContext, spec: PeriodicSpec): Promise<PeriodicNote[]> {
  const { storage, judge } = context
  const today = localTimeAt(context.now, context.zone)
  const folder = await storage.stat(spec.folder)
  if (spec.folder !== '' && folder?.kind !== 'folder') return []
  const depth = spec.calendar.format(today, spec.format).split('/').length
  const start = spec.folder === '' ? 0 : spec.folder.split('/').length
  const open = (path: VaultPath) => allows(judge, path)
  const { entries } = await storage.list(spec.folder, {
    recursive: depth > 1,
    enter: (path) => path.split('/').length - start < depth && !path.includes('/.') && !path.startsWith('.'),
  })
  const notes: PeriodicNote[] = []
  for (const { kind, path } of entries) {
    if (kind !== 'file' || path.split('/').length - start !== depth) continue
    const date = parsePeriodicPath(spec, path, Number(today.date.slice(0, 4)))
    if (date !== null && open(path)) notes.push({ path, title: stemOf(path), date })
  }
  return notes.sort((a, b) => compare(b.date, a.date) || compare(b.path, a.path))
}

/**
 * The exact path; or, where names say more than the period (`YYYY-MM-DD` for weeks), the newest note of the same
 * period, so that Thursday's call finds Monday's note.
 */
async function locate(
  context: PeriodicContext,
  spec: PeriodicSpec,
  at: LocalTime,
): Promise<PeriodicNote & { readonly exists: boolean }> {
  const path = periodicPath(spec, at)
  context.judge?.(path)
  const exact = { path, title: stemOf(path), date: at.date }
  if ((await context.storage.stat(path))?.kind === 'file') return { ...exact, exists: true }
  if (!saysMore(spec, at)) return { ...exact, exists: false }
  const start = spec.calendar.startOf(at.date, unitOf(spec))
  const same = (await notesOf(context, spec)).find(
    ({ date }) => spec.calendar.startOf(date, unitOf(spec)) === start,
  )
  return same === undefined ? { ...exact, exists: false } : { ...same, date: at.date, exists: true }
}

function saysMore(spec: PeriodicSpec, at: LocalTime): boolean {
  const { calendar, format } = spec
  const first = { ...at, date: calendar.startOf(at.date, unitOf(spec)), hour: 0, minute: 0, second: 0 }
  const last = { ...at, date: calendar.endOf(at.date, unitOf(spec)), hour: 23, minute: 59, second: 59 }
  return calendar.format(first, format) !== calendar.format(last, format)
}

function unitOf({ period, format }: PeriodicSpec): CalendarUnit {
  if (period === 'weekly') return /[GWE]/.test(format.replace(/\[[^[\]]*\]/g, '')) ? 'isoWeek' : 'week'
  return ({ daily: 'day', monthly: 'month', quarterly: 'quarter', yearly: 'year' } as const)[period]
}

async function planNew(
  context: PeriodicContext,
  spec: PeriodicSpec,
  { note, at, content }: { note: PeriodicNote; at: LocalTime; content?: string | undefined },
): Promise<CreatePlan> {
  const { path, title, date } = note
  const plan = { path, title, date, template: null, warnings: spec.warnings }
  // The template is looked at in any case: one that leads out of the vault is refused, not silently passed over.
  const template =
    spec.template === ''
      ? null
      : await readSettingsTemplate(context, spec.template, `The template setting of ${spec.period} notes`)
  if (content !== undefined) return { ...plan, content }
  if (template === null) {
    const missing = `The template "${spec.template}" of ${spec.period} notes does not exist, so the note is empty.`
    return {
      ...plan,
      content: '',
      warnings: spec.template === '' ? plan.warnings : [...plan.warnings, missing],
    }
  }
  const { dateFormat, timeFormat } = context.settings.templates
  const nameFormat = context.settings.periodic.daily.format
  const text = expandTemplate(template.text, {
    title,
    at,
    calendar: spec.calendar,
    dateFormat,
    timeFormat,
    nameFormat,
  })
  return { ...plan, content: text, template: template.path }
}

function timeOf({ now, zone }: PeriodicContext, { date }: PeriodicRequest): LocalTime {
  const time = localTimeAt(now, zone)
  if (date === undefined) return time
  const day = isoDate(date)
  if (day === null) {
    throw new VaultError('bad_argument', `date: "${date}" is no date of the calendar.`, {
      hint: `Write it as YYYY-MM-DD, e.g. ${time.date}.`,
    })
  }
  return onDate(time, day, zone)
}

function allows(judge: PeriodicContext['judge'], path: VaultPath): boolean {
  try {
    judge?.(path)
    return true
  } catch {
    return false
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
