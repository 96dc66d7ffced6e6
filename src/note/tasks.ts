/** A checkbox, before the tags of its line are known. */
export interface TaskMark {
  readonly status: string
  readonly text: string
  readonly line: number
  readonly statusAt: number
  readonly heading: number
  readonly dates: Readonly<Record<string, string>>
}

const MARK = /[ \t]+\[([^\]\r\n])\](?=[ \t]|\r?\n|$)[ \t]*([^\n]*)/uy

/** The box that follows a list marker ending at `at` of `body`, any one character in it; null where there is none. */
export function taskAt(
  body: string,
  at: number,
  offset: number,
): { status: string; text: string; statusAt: number; dates: Record<string, string> } | null {
  MARK.lastIndex = at
  const found = MARK.exec(body)
  if (found === null) return null
  const text = found[2]!.trim()
  return { status: found[1]!, text, statusAt: offset + body.indexOf('[', at) + 1, dates: datesOf(text) }
}

const KIND_OF_SIGN: Readonly<Record<string, string>> = {
  '📅': 'due',
  '📆': 'due',
  '🗓': 'due',
  '⏳': 'scheduled',
  '⌛': 'scheduled',
  '🛫': 'start',
  '✅': 'done',
  '➕': 'created',
  '❌': 'cancelled',
}
const KIND_OF_KEY: Readonly<Record<string, string>> = {
  due: 'due',
  scheduled: 'scheduled',
  start: 'start',
  done: 'done',
  completion: 'done',
  created: 'created',
  cancelled: 'cancelled',
}
const SIGNED = /(📅|📆|🗓|⏳|⌛|🛫|✅|➕|❌)\ufe0f?[ \t]*(\d{4}-\d{2}-\d{2})/gu
const KEYED = /[[(]([a-z]+)::[ \t]*(\d{4}-\d{2}-\d{2})[^\])]*[\])]/gi

/** Dates of a task's text, by kind; the first of a kind counts. */
function datesOf(text: string): Record<string, string> {
  const dates: Record<string, string> = {}
  if (!/\d{4}-/.test(text)) return dates
  for (const [, sign, date] of text.matchAll(SIGNED)) dates[KIND_OF_SIGN[sign!]!] ??= date!
  for (const [, key, date] of text.matchAll(KEYED)) {
    const kind = KIND_OF_KEY[key!.toLowerCase()]
    if (kind !== undefined) dates[kind] ??= date!
  }
  return dates
}
