/** A calendar date, `YYYY-MM-DD`. */
export type IsoDate = string

/** What a clock on the wall shows, with its distance from UTC. */
export interface LocalTime {
  readonly date: IsoDate
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
  /** Minutes east of UTC. */
  readonly offset: number
}

/**
 * The wall clock of a time zone at an instant.
 * @param epochMs milliseconds since 1970, UTC
 * @param zone an IANA name (`Europe/Berlin`) or `UTC`
 * @throws RangeError for a zone that the runtime does not know
 */
export function localTimeAt(epochMs: number, zone: string): LocalTime {
  const offset = offsetAt(epochMs, zone)
  const wall = new Date(epochMs + offset * 60_000)
  return {
    date: wall.toISOString().slice(0, 10),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
    millisecond: wall.getUTCMilliseconds(),
    offset,
  }
}

/** The same time of day on another date, with the zone's offset of that day. */
export function onDate(time: LocalTime, date: IsoDate, zone: string): LocalTime {
  const wall = Date.parse(`${date}T00:00:00Z`) + time.hour * 3_600_000 + time.minute * 60_000
  const guess = wall - offsetAt(wall, zone) * 60_000
  return { ...time, date, offset: offsetAt(guess, zone) }
}

/** `'2026-02-28'` → itself; null for what is no date of the calendar (or not written so). */
export function isoDate(text: string): IsoDate | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const time = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(time)) return null
  return new Date(time).toISOString().slice(0, 10) === text ? text : null
}

const PARTS: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
}

function offsetAt(epochMs: number, zone: string): number {
  if (zone === 'UTC') return 0
  const parts = new Intl.DateTimeFormat('en-US', { ...PARTS, timeZone: zone }).formatToParts(epochMs)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return Math.round((wall - epochMs) / 60_000)
}
