import type { LocalTime } from './local_time.ts'
import type { Calendar } from './moment_format.ts'

export interface TemplateValues {
  /** The new note's file name without `.md`. */
  readonly title: string
  /** The note's date with the time of day at which it is made. */
  readonly at: LocalTime
  readonly calendar: Calendar
  /** What `{{date}}` prints, a moment format. */
  readonly dateFormat: string
  /** What `{{time}}` prints. */
  readonly timeFormat: string
  /** Names a neighbouring note, for `{{yesterday}}` and `{{tomorrow}}`: the note format of daily notes. */
  readonly nameFormat: string
}

/**
 * Fills in the variables of the core Templates and Daily notes plugins and of Periodic Notes, in any case and with
 * blanks inside the braces: `title`, `date`, `time`, `date:FORMAT`, `date+1d:FORMAT`, `yesterday`, `tomorrow`,
 * `monday:FORMAT` to `sunday:FORMAT`. Everything else stays as it is, and what was filled in is not looked at again.
 */
export function expandTemplate(template: string, values: TemplateValues): string {
  return template.replace(VARIABLE, (whole, inside: string) => {
    const parts = /^\s*([a-z]+)\s*(?:([+-]\s*\d{1,6})\s*([a-z]))?\s*(?::(.*))?$/is.exec(inside)
    if (parts === null) return whole
    const [, name = '', amount, unit = '', format] = parts
    const variable: Variable = { name: name.toLowerCase(), format: format?.trim() || undefined }
    if (amount === undefined) return expand(variable, values) ?? whole
    if (variable.name !== 'date' && variable.name !== 'time') return whole
    if (!SHIFT_UNITS.includes(unit)) return whole
    const at = values.calendar.add(values.at, Number(amount.replace(/\s/g, '')), unit)
    return expand(variable, { ...values, at }) ?? whole
  })
}

/** Bounded, since what stands inside is matched with backtracking. */
const VARIABLE = /\{\{([^{}\r\n]{1,200})\}\}/g

interface Variable {
  readonly name: string
  readonly format: string | undefined
}

/** `M` are months and `m` minutes, as in moment. */
const SHIFT_UNITS = 'yqQMwdhms'

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

function expand({ name, format }: Variable, values: TemplateValues): string | null {
  const { calendar, at } = values
  switch (name) {
    case 'title':
      return format === undefined ? values.title : null
    case 'date':
      return calendar.format(at, format ?? values.dateFormat)
    case 'time':
      return calendar.format(at, format ?? values.timeFormat)
    case 'yesterday':
      return calendar.format(calendar.add(at, -1, 'd'), format ?? values.nameFormat)
    case 'tomorrow':
      return calendar.format(calendar.add(at, 1, 'd'), format ?? values.nameFormat)
  }
  const weekday = WEEKDAYS.indexOf(name)
  if (weekday < 0 || format === undefined) return null
  return calendar.format(calendar.dayOfWeek(at, weekday), format)
}
