import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { localTimeAt } from '../../src/note/local_time.ts'
import { type Calendar, loadCalendar, unescapedWords } from '../../src/note/moment_format.ts'

const at = (iso: string) => localTimeAt(Date.parse(iso), 'UTC')
const en = await loadCalendar({ locale: 'C', weekStart: null })
const de = await loadCalendar({ locale: 'de_DE.UTF-8', weekStart: null })
const monday = await loadCalendar({ locale: 'en', weekStart: 1 })

const formats: [format: string, iso: string, right: string, calendar?: Calendar][] = [
  ['YYYY-MM-DD', '2026-03-09T00:00Z', '2026-03-09'],
  ['dddd, MMMM D YYYY', '2026-03-19T00:00Z', 'Thursday, March 19 2026'],
  ['[Day] DDDD, Do MMM', '2026-03-02T00:00Z', 'Day 061, 2nd Mar'],
  ['[Q]Q YYYY', '2026-10-01T00:00Z', 'Q4 2026'],
  ['YYYY/MM-MMMM/YYYY-MM-DD-dddd', '2026-03-09T00:00Z', '2026/03-March/2026-03-09-Monday'],
  // Literal letters that nobody escaped are tokens: that is what the application does too.
  ['Journal/YYYY', '2026-03-09T00:00Z', 'Journam3/9/2026/2026'],
  // ISO weeks 53, 1 and 52 at the year's turn, and the American weeks beside them.
  ['GGGG-[W]WW', '2026-12-31T00:00Z', '2026-W53'],
  ['GGGG-[W]WW', '2027-01-03T00:00Z', '2026-W53'],
  ['GGGG-[W]WW', '2027-01-04T00:00Z', '2027-W01'],
  ['GGGG-[W]WW', '2024-12-30T00:00Z', '2025-W01'],
  ['GGGG-[W]WW', '2022-01-01T00:00Z', '2021-W52'],
  ['gggg-[W]ww', '2026-12-31T00:00Z', '2027-W01'],
  ['gggg-[W]ww', '2026-12-27T00:00Z', '2027-W01'],
  ['gggg-[W]ww', '2026-12-26T00:00Z', '2026-W52'],
  ['gggg-[W]ww', '2026-12-27T00:00Z', '2026-W52', de],
  // Sunday belongs to the week that began on Monday.
  ['gggg-[W]ww', '2026-03-08T00:00Z', '2026-W11'],
  ['gggg-[W]ww', '2026-03-08T00:00Z', '2026-W10', monday],
  ['DDDD', '2028-12-31T00:00Z', '366'],
  ['dddd D. MMMM', '2026-03-09T00:00Z', 'Montag 9. März', de],
  ['HH:mm:ss.SSS A Z', '2026-03-09T15:04:05.678Z', '15:04:05.678 PM +00:00'],
]
for (const [format, iso, right, calendar = en] of formats) {
  test(`${format} of ${iso.slice(0, 10)} in ${calendar.locale} is ${right}`, () => {
    expect(calendar.format(at(iso), format)).toBe(right)
  })
}

test.each([
  ['en_GB.UTF-8', 'en-gb'],
  ['de_CH.UTF-8@euro', 'de-ch'],
  ['de-LI', 'de'],
  ['zh_Hant_TW', 'zh-tw'],
  ['zh', 'zh-cn'],
  ['no', 'nb'],
  ['', 'en'],
  ['POSIX', 'en'],
  ['qqq', 'en'],
])('the locale %p is %p for moment', async (locale, right) => {
  expect((await loadCalendar({ locale, weekStart: null })).locale).toBe(right)
})

describe('parse', () => {
  test.each<[text: string, format: string, right: string | null, calendar?: Calendar]>([
    ['2026-03-09', 'YYYY-MM-DD', '2026-03-09'],
    ['2024-02-29', 'YYYY-MM-DD', '2024-02-29'],
    ['2026-02-29', 'YYYY-MM-DD', null],
    ['2026-3-9', 'YYYY-MM-DD', null],
    ['2026-03-09 x', 'YYYY-MM-DD', null],
    ['x2026-03-09', 'YYYY-MM-DD', null],
    ['2026/03-March/2026-03-09-Monday', 'YYYY/MM-MMMM/YYYY-MM-DD-dddd', '2026-03-09'],
    ['2026/03-March/2026-03-09-Tuesday', 'YYYY/MM-MMMM/YYYY-MM-DD-dddd', null],
    ['2026/04-April/2026-03-09-Monday', 'YYYY/MM-MMMM/YYYY-MM-DD-dddd', null],
    ['2026-W53', 'GGGG-[W]WW', '2026-12-28'],
    ['2025-W53', 'GGGG-[W]WW', null],
    ['2027-W01', 'gggg-[W]ww', '2026-12-27'],
    ['2027-W01', 'gggg-[W]ww', '2026-12-28', monday],
    ['2026-Q3', 'YYYY-[Q]Q', '2026-07-01'],
    ['2026-Q5', 'YYYY-[Q]Q', null],
    ['2026', 'YYYY', '2026-01-01'],
    ['26', 'YYYY', null],
    // No year in the name: the assumed one.
    ['Day 061, 2nd Mar', '[Day] DDDD, Do MMM', '2026-03-02'],
    ['Day 366, 31st Dec', '[Day] DDDD, Do MMM', null],
    ['03-09', 'MM-DD', '2026-03-09'],
    // A week below a month: moment reads the month and forgets the week.
    ['2026/07/W28', 'YYYY/MM/[W]ww', '2026-07-05'],
    ['2026/03/W28', 'YYYY/MM/[W]ww', null],
    // Tokens that moment prints and cannot read.
    ['3rd quarter 2026', 'Qo [quarter] YYYY', '2026-07-01'],
    ['10th week 2026', 'wo [week] gggg', '2026-03-01'],
    ['9th of 3rd 26', 'Do [of] Mo YY', '2026-03-09'],
    ['9. März 2026', 'D. MMMM YYYY', '2026-03-09', de],
    ['9. Maerz 2026', 'D. MMMM YYYY', null, de],
  ])('%p as %p is %p', (text, format, right, calendar = en) => {
    expect(calendar.parse(text, format, 2026)).toBe(right)
  })

  test('reads every name that it prints, whatever the tokens, as a day with the same name', () => {
    const token = fc.constantFrom(
      ...'YYYY YY MM M MMM MMMM Mo DD D Do DDDD DDD dddd ddd gggg-[W]ww GGGG-[W]WW ww Q Qo wo [Day] / - , .'.split(
        ' ',
      ),
      ' ',
    )
    const day = fc.integer({ min: Date.parse('2000-01-01') / 864e5, max: Date.parse('2040-12-31') / 864e5 })
    fc.assert(
      fc.property(
        fc.array(token, { minLength: 1, maxLength: 6 }),
        day,
        fc.constantFrom(en, de, monday),
        (tokens, days, calendar) => {
          const date = new Date(days * 864e5).toISOString()
          const format = `YYYY${tokens.join('-')}`
          const name = calendar.format(at(date), format)
          const read = calendar.parse(name, format, 2026)
          expect(read).not.toBeNull()
          expect(calendar.format(at(`${read}T00:00Z`), format)).toBe(name)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('after many names that are none, every day is still read, and the others still are none', async () => {
    const fr = await loadCalendar({ locale: 'fr', weekStart: null })
    const format = 'dddd Do MMM YYYY, HH[h]'
    for (let i = 0; i < 300; i++) expect(fr.parse(`note ${i}`, format, 2026)).toBeNull()
    for (let day = 0; day < 3000; day++) {
      const time = at(new Date(Date.parse('2019-01-01T07:00Z') + day * 864e5).toISOString())
      expect(fr.parse(fr.format(time, format), format, 2026)).toBe(time.date)
    }
    expect(fr.parse('lundi 2 mars 2026', format, 2026)).toBeNull()
    expect(fr.parse('mardi 2 mars 2026, 07h', format, 2026)).toBeNull()
  })

  test('any text is read or null, never an error', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, format) => {
        const read = en.parse(text, format, 2026)
        expect(read === null || /^\d{4}-\d{2}-\d{2}$/.test(read)).toBe(true)
      }),
    )
  })
})

test('a calendar of its own leaves the week of the plain locale alone', async () => {
  await loadCalendar({ locale: 'en', weekStart: 6 })
  const plain = await loadCalendar({ locale: 'en', weekStart: null })
  expect(plain.startOf('2026-03-09', 'week')).toBe('2026-03-08')
  expect(monday.startOf('2026-03-09', 'week')).toBe('2026-03-09')
  expect(plain.startOf('2026-03-09', 'isoWeek')).toBe('2026-03-09')
})

test.each([
  ['YYYY-MM-DD', []],
  ['[Journal]/YYYY/MMM/DD.MM.YYYY', []],
  ['gggg-[W]ww', []],
  ['dddd, MMMM Do YYYY', []],
  ['YYYYMMDDHHmmss', []],
  ['Journal/YYYY/MMM/DD.MM.YYYY', ['Journal']],
  ['YYYY Week ww', ['Week']],
  ['Tagebuch YYYY', ['Tagebuch']],
])('unescaped words of %p are %p', (format, right) => {
  expect(unescapedWords(format)).toEqual(right)
})
