import type { Moment, MomentInput, unitOfTime } from 'moment'
import type { IsoDate, LocalTime } from './local_time.ts'

/**
 * Dates as the note application writes and reads them: moment.js formats, in one locale, with one week start.
 * Pure: nothing here looks at a clock or at the machine's time zone.
 */
export interface Calendar {
  /** The moment locale in use, e.g. `de`; `en` where the wanted one is unknown. */
  readonly locale: string
  /** Every token of moment.js, `[literal]`s and locale names included. */
  format(at: LocalTime, format: string): string
  /**
   * The exact inverse of {@link format}: null unless the whole text is what some date gives.
   * @param assumedYear for formats that name no year
   */
  parse(text: string, format: string, assumedYear: number): IsoDate | null
  /** First day of the unit that the date lies in; weeks begin where the locale or the setting says. */
  startOf(date: IsoDate, unit: CalendarUnit): IsoDate
  endOf(date: IsoDate, unit: CalendarUnit): IsoDate
  /** @param unit moment's short units (`y Q M w d h m s`), `q` for quarters too; an unknown one changes nothing */
  add(at: LocalTime, amount: number, unit: string): LocalTime
  /** The day of that name (0 = Sunday) in the same week. */
  dayOfWeek(at: LocalTime, day: number): LocalTime
}

export type CalendarUnit = 'day' | 'week' | 'isoWeek' | 'month' | 'quarter' | 'year'

export interface CalendarOptions {
  /** As the system spells it (`de_DE.UTF-8`, `en-GB`, `C`) or as moment does (`pt-br`). */
  readonly locale: string
  /** 0 = Sunday to 6; null leaves it to the locale. */
  readonly weekStart: number | null
}

/**
 * Loads moment.js, with its locales only where English does not do (they cost 25 MB).
 * Calendars of the same options share one definition.
 */
export async function loadCalendar(options: CalendarOptions): Promise<Calendar> {
  const wanted = spellings(options.locale)
  const moment = wanted[0] === 'en' ? (await import('moment')).default : await loadAllLocales()
  const known = moment.locales()
  const base = wanted.find((name) => known.includes(name)) ?? 'en'
  return makeCalendar(moment, base, withWeekStart(moment, base, options.weekStart))
}

type MomentLibrary = typeof import('moment')

async function loadAllLocales(): Promise<MomentLibrary> {
  // @ts-expect-error: the package types only its main file; this one exports the same function.
  return (await import('moment/min/moment-with-locales.js')).default
}

/** `'de_CH.UTF-8@euro'` → `['de-ch', 'de', 'en']`. */
function spellings(locale: string): string[] {
  const name = locale
    .replace(/[.@].*$/, '')
    .replaceAll('_', '-')
    .toLowerCase()
  if (['', 'c', 'posix', 'en', 'en-us'].includes(name)) return ['en']
  const parts = name.split('-')
  const wider = parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
  return [...wider.map((w) => SAME_LOCALE[w] ?? w), 'en']
}

/** Languages that moment knows under a longer or another name only. */
const SAME_LOCALE: Readonly<Record<string, string>> = {
  zh: 'zh-cn',
  'zh-hans': 'zh-cn',
  'zh-hant': 'zh-tw',
  'zh-sg': 'zh-cn',
  no: 'nb',
  cz: 'cs',
  pa: 'pa-in',
  hy: 'hy-am',
  ug: 'ug-cn',
}

/**
 * As the calendar plugin does it: only the first day of the week changes; which week is the year's first stays
 * the locale's rule.
 */
function withWeekStart(moment: MomentLibrary, base: string, weekStart: number | null): string {
  const data = moment.localeData(base)
  if (weekStart === null || data.firstDayOfWeek() === weekStart) return base
  const name = `${base}-from-${weekStart}`
  if (!moment.locales().includes(name)) {
    const before = moment.locale()
    moment.defineLocale(name, {
      parentLocale: base,
      week: { dow: weekStart, doy: data.firstDayOfYear() },
    })
    // Defining a locale also makes it the library's current one.
    moment.locale(before)
  }
  return name
}

function makeCalendar(moment: MomentLibrary, base: string, locale: string): Calendar {
  const firstDayOfWeek = moment.localeData(locale).firstDayOfWeek()
  const day = (date: IsoDate) => moment.utc(`${date}T00:00:00Z`).locale(locale)
  const at = (time: LocalTime): Moment =>
    day(time.date)
      .hour(time.hour)
      .minute(time.minute)
      .second(time.second)
      .millisecond(time.millisecond)
      .utcOffset(time.offset, true)
  const parser = makeParser(moment, locale)
  return {
    locale: base,
    format: (time, format) => at(time).format(format),
    parse: parser,
    startOf: (date, unit) => iso(day(date).startOf(unit)),
    endOf: (date, unit) => iso(day(date).endOf(unit)),
    add(time, amount, unit) {
      const moved = at(time).add(amount, (unit === 'q' ? 'Q' : unit) as unitOfTime.DurationConstructor)
      return {
        ...time,
        date: iso(moved),
        hour: moved.hour(),
        minute: moved.minute(),
        second: moved.second(),
      }
    },
    dayOfWeek(time, weekday) {
      const first = day(time.date).startOf('week')
      return { ...time, date: iso(first.add((weekday - firstDayOfWeek + 7) % 7, 'day')) }
    },
  }
}

/** Locale-free, since some locales print their own digits. */
function iso(m: Moment): IsoDate {
  return m.clone().locale('en').format('YYYY-MM-DD')
}

function makeParser(moment: MomentLibrary, locale: string): Calendar['parse'] {
  const print = (at: IsoDate | string, format: string) => moment.utc(at).locale(locale).format(format)
  const read = (text: string, format: string, assumedYear: number): IsoDate | null => {
    const year = String(assumedYear).padStart(4, '0')
    // Without a year moment would take the one of its own clock.
    const parsed = namesYear(format)
      ? moment.utc(text as MomentInput, format, locale, true)
      : moment.utc(`${text} ${year}`, `${format}[ ]YYYY`, locale, true)
    // Strict parsing still forgives (other spellings of a month), and ignores a week where a month is named too.
    return parsed.isValid() && parsed.format(format) === text ? iso(parsed) : null
  }
  const namesYear = remember((format: string) => print('2001-05-17', format) !== print('2007-05-17', format))
  const readable = remember((format: string) =>
    SAMPLES.every((date) => read(print(date, format), format, 2026) !== null),
  )
  const datesOfYear = remember((key: string) => {
    const [year, format] = [key.slice(0, 4), key.slice(4)]
    const dates = new Map<string, IsoDate>()
    const last = Date.parse(`${year}-12-31T00:00:00Z`)
    for (let time = Date.parse(`${year}-01-01T00:00:00Z`); time <= last; time += 86_400_000) {
      const date = new Date(time).toISOString().slice(0, 10)
      const name = print(date, format)
      if (!dates.has(name)) dates.set(name, date)
    }
    return dates
  })
  const shapes = remember((format: string) => shapesOf(format, print))
  const misses = new Map<string, number>()
  return (text, format, assumedYear) => {
    // Reading costs 10 to 100 µs a name; a folder of many thousand other notes is told apart by their looks.
    if ((misses.get(format) ?? 0) > MISSES_BEFORE_SHAPES && !shapes(format).has(shapeOf(text))) return null
    const date = parse(text, format, assumedYear)
    if (misses.size >= 64) misses.clear()
    if (date === null) misses.set(format, (misses.get(format) ?? 0) + 1)
    return date
  }

  function parse(text: string, format: string, assumedYear: number): IsoDate | null {
    const direct = read(text, format, assumedYear)
    if (direct !== null || readable(format)) return direct
    for (const year of yearsIn(text, assumedYear)) {
      const date = datesOfYear(year + format).get(text)
      if (date !== undefined) return date
    }
    return null
  }
}

/** Learning the shapes of a format takes about 50 ms. */
const MISSES_BEFORE_SHAPES = 200

/** How names of a format look: 28 years hold every day of the month on every weekday; hours move along. */
function shapesOf(format: string, print: (at: string, format: string) => string): ReadonlySet<string> {
  const shapes = new Set<string>()
  const first = Date.parse('2000-01-01T00:00:00Z')
  const days = 28 * 365 + 7
  for (let day = 0; day < days; day++) {
    const time = first + day * 86_400_000 + (day % 24) * 3_600_000
    shapes.add(shapeOf(print(new Date(time).toISOString(), format)))
  }
  return shapes
}

/** Runs of letters and of digits as one sign each, everything else as it is. */
function shapeOf(text: string): string {
  return text.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{Nd}+/gu, '0')
}

/** Two dates of each month, the ends of the year among them. */
const SAMPLES: readonly IsoDate[] = [
  ...Array.from({ length: 12 }, (_, i) => `2026-${String(i + 1).padStart(2, '0')}-17`),
  ...['2026-01-01', '2026-12-31', '2028-02-29', '2027-01-03', '2020-12-31'],
]

/** The years that a name may belong to, for formats with tokens that moment prints and cannot read (`Mo`, `wo`). */
function yearsIn(text: string, assumedYear: number): string[] {
  const years = new Set<number>([assumedYear])
  for (const [, digits] of text.matchAll(/(?=(\d{4}))/g)) {
    // A week's year and the calendar's differ around New Year.
    for (const near of [0, -1, 1]) years.add(Number(digits) + near)
  }
  for (const digits of text.match(/(?<!\d)\d{2}(?!\d)/g) ?? []) years.add(2000 + Number(digits))
  const near = [...years].filter((year) => year >= 1 && Math.abs(year - assumedYear) <= 200)
  return near.map((year) => String(year).padStart(4, '0'))
}

/** Keeps the answers for the last few questions. */
function remember<T>(ask: (question: string) => T): (question: string) => T {
  const answers = new Map<string, T>()
  return (question) => {
    const known = answers.get(question)
    if (known !== undefined) return known
    const answer = ask(question)
    if (answers.size >= 64) answers.clear()
    answers.set(question, answer)
    return answer
  }
}

/** The letters that moment replaces when they stand alone. */
const TOKEN_LETTER = /[YyMDdwWQgGeEaAhHkmsSxXzZLlN]/

/**
 * Words in a format that look meant literally and are not in brackets: `Journal/YYYY` prints the day's `a` (am, pm)
 * in its place.
 * @see https://momentjs.com/docs/#/displaying/format/ on escaping characters
 */
export function unescapedWords(format: string): string[] {
  const words = format.replace(/\[[^[\]]*\]/g, ' ').match(/[\p{L}\p{M}]{3,}/gu) ?? []
  return words.filter((word) => {
    if (/^(?:day|week)s?$/i.test(word)) return true
    const letters = [...word.replace(/(?<=[MDdwWQy])o/g, '')]
    return letters.some((l) => TOKEN_LETTER.test(l)) && letters.some((l) => !TOKEN_LETTER.test(l))
  })
}
