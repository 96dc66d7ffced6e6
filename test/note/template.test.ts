import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { localTimeAt } from '../../src/note/local_time.ts'
import { loadCalendar } from '../../src/note/moment_format.ts'
import { expandTemplate, type TemplateValues } from '../../src/note/template.ts'

const values: TemplateValues = {
  title: 'A $& Note',
  at: localTimeAt(Date.parse('2026-02-28T09:05:00Z'), 'UTC'), // a Saturday
  calendar: await loadCalendar({ locale: 'en', weekStart: null }),
  dateFormat: 'YYYY-MM-DD',
  timeFormat: 'HH:mm',
  nameFormat: 'DD.MM.YYYY',
}

test.each([
  ['# {{title}}', '# A $& Note'],
  ['{{ title }}|{{TITLE}}|{{\ttitle}}', 'A $& Note|A $& Note|A $& Note'],
  ['{{date}} {{time}}', '2026-02-28 09:05'],
  ['{{date:DD.MM.YYYY}}', '28.02.2026'],
  ['{{ date : dddd [the] Do }}', 'Saturday the 28th'],
  ['{{time:HH:mm:ss}}', '09:05:00'],
  ['{{date:HH}}', '09'],
  ['{{date+1d}} {{date-1w:DD/MM}} {{date + 1M:MMM}}', '2026-03-01 21/02 Mar'],
  ['{{date+1q:YYYY-MM}} {{date-2y:YYYY}} {{time+90m:HH:mm}}', '2026-05 2024 10:35'],
  ['[[{{yesterday}}]] [[{{ tomorrow }}]]', '[[27.02.2026]] [[01.03.2026]]'],
  ['{{yesterday:YYYY-MM-DD}}', '2026-02-27'],
  ['{{sunday:YYYY-MM-DD}} {{monday:YYYY-MM-DD}} {{Saturday:D}}', '2026-02-22 2026-02-23 28'],
  // Left as they are.
  [
    '{{other}} {{monday}} {{date+1x}} {{title:X}} {{title+1d}}',
    '{{other}} {{monday}} {{date+1x}} {{title:X}} {{title+1d}}',
  ],
  [
    '{title} {{}} {{ }} {{date\n}} <% tp.date.now() %> {{{date}}}',
    '{title} {{}} {{ }} {{date\n}} <% tp.date.now() %> {2026-02-28}',
  ],
  ['no variables', 'no variables'],
  ['', ''],
])('%j expands to %j', (template, right) => {
  expect(expandTemplate(template, values)).toBe(right)
})

test('a title that looks like a variable is not expanded again', () => {
  expect(expandTemplate('{{title}}', { ...values, title: '{{date}}' })).toBe('{{date}}')
})

test('text without braces stays byte for byte', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('{{')),
      (text) => {
        expect(expandTemplate(text, values)).toBe(text)
      },
    ),
  )
})

test('a megabyte of open braces takes no time to speak of', () => {
  const start = performance.now()
  expandTemplate('{{'.repeat(500_000), values)
  expandTemplate(`{{date${' '.repeat(200_000)}`, values)
  expandTemplate(`{{date${' '.repeat(200_000)}x}}`, values)
  expandTemplate(`{{${'a'.repeat(500_000)}`, values)
  expect(performance.now() - start).toBeLessThan(500)
})
