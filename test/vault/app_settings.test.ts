import { describe, expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { readAppSettings } from '../../src/vault/app_settings.ts'
import { storageOf } from './storage_of.ts'

const read = (files: Record<string, string>) =>
  readAppSettings(
    storageOf(Object.fromEntries(Object.entries(files).map(([name, text]) => [`.obsidian/${name}`, text]))),
  )

const DEFAULTS = {
  newLinkFormat: 'shortest',
  useMarkdownLinks: false,
  attachmentFolderPath: '/',
  trashOption: 'local',
  userIgnoreFilters: [],
  templates: { folder: null, dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' },
  periodic: {
    daily: { format: 'YYYY-MM-DD', folder: '', template: '', source: 'default' },
    weekly: { format: 'gggg-[W]ww', folder: '', template: '', source: 'default' },
    monthly: { format: 'YYYY-MM', folder: '', template: '', source: 'default' },
    quarterly: { format: 'YYYY-[Q]Q', folder: '', template: '', source: 'default' },
    yearly: { format: 'YYYY', folder: '', template: '', source: 'default' },
  },
  weekStart: null,
  locale: null,
  warnings: [],
} as const

test("a vault without settings has the application's defaults", async () => {
  expect(await read({})).toEqual(DEFAULTS as never)
})

test('what the settings say is used', async () => {
  const settings = await read({
    'app.json':
      '{"newLinkFormat":"relative","useMarkdownLinks":true,"attachmentFolderPath":"./img ","trashOption":"local","userIgnoreFilters":["Old/","/x/"]}',
    'templates.json': '{"folder":"Meta/Templates","dateFormat":"DD.MM.","timeFormat":"HH"}',
  })
  expect(settings).toMatchObject({
    newLinkFormat: 'relative',
    useMarkdownLinks: true,
    attachmentFolderPath: './img',
    trashOption: 'local',
    userIgnoreFilters: ['Old/', '/x/'],
    templates: { folder: 'Meta/Templates', dateFormat: 'DD.MM.', timeFormat: 'HH' },
  })
})

test.each([
  ['app.json', '{"newLinkFormat":', 'is no valid JSON'],
  ['app.json', '[1]', 'holds no JSON object'],
  ['daily-notes.json', 'null', 'holds no JSON object'],
  ['plugins/periodic-notes/data.json', '"x"', 'holds no JSON object'],
])('%s with %s gives the defaults and a warning', async (name, text, warning) => {
  const { warnings, ...settings } = await read({ [name]: text })
  expect({ ...settings, warnings: [] }).toEqual(DEFAULTS as never)
  expect(warnings).toEqual([expect.stringContaining(warning)])
  expect(warnings[0]).toStartWith(`.obsidian/${name} `)
})

test('values of a wrong type or an unknown name count as not set; an empty file is no mistake', async () => {
  const settings = await read({
    'app.json':
      '{"newLinkFormat":"longest","useMarkdownLinks":"yes","attachmentFolderPath":7,"trashOption":null,"userIgnoreFilters":[1,""]}',
    'templates.json': '',
    'daily-notes.json': '{"format":5,"folder":["x"],"template":{}}',
    'plugins/periodic-notes/data.json': '{"calendarSets":[null,7],"weekly":"on"}',
  })
  expect({ ...settings, periodic: { ...settings.periodic, daily: DEFAULTS.periodic.daily } }).toEqual(
    DEFAULTS as never,
  )
})

test('a byte-order mark before the JSON is no mistake', async () => {
  expect((await read({ 'app.json': '\u{feff}{"trashOption":"none"}' })).trashOption).toBe('none')
})

test('settings that may be there and cannot be looked at are an error, not the defaults', async () => {
  const storage = storageOf({})
  const hangs = {
    ...storage,
    read: () => Promise.reject(new VaultError('timeout', 'no answer', { hint: '' })),
  }
  await expect(readAppSettings(hangs)).rejects.toMatchObject({ code: 'timeout' })
})

test('settings behind a link that leads outside are not used, with a warning', async () => {
  const settings = await readAppSettings(storageOf({}, { outside: ['.obsidian/app.json'] }))
  expect(settings.warnings).toEqual([
    '.obsidian/app.json could not be used (outside_vault), so the defaults serve.',
  ])
})

describe('periodic notes', () => {
  const DAILY = 'daily-notes.json'
  const PLUGIN = 'plugins/periodic-notes/data.json'
  const CALENDAR = 'plugins/calendar/data.json'
  const core = '{"format":"DD-MM-YYYY","folder":"Core","template":"T"}'
  test.each<[string, Record<string, string>, 'daily' | 'weekly', object]>([
    ['the core plugin', { [DAILY]: core }, 'daily', { format: 'DD-MM-YYYY', folder: 'Core', template: 'T' }],
    [
      'an empty format',
      { [DAILY]: '{"format":"","folder":"J"}' },
      'daily',
      { format: 'YYYY-MM-DD', folder: 'J', source: 'daily-notes' },
    ],
    [
      'the flat file beats the core one',
      {
        [DAILY]: core,
        [PLUGIN]: '{"daily":{"enabled":true,"format":"YYYY/MM/DD","folder":"P","template":"X"}}',
      },
      'daily',
      { format: 'YYYY/MM/DD', folder: 'P', template: 'X', source: 'periodic-notes' },
    ],
    [
      'a disabled period falls back',
      { [DAILY]: core, [PLUGIN]: '{"daily":{"enabled":false,"folder":"P"}}' },
      'daily',
      { folder: 'Core', source: 'daily-notes' },
    ],
    [
      'a plugin that is switched off says nothing',
      {
        [DAILY]: core,
        'community-plugins.json': '["dataview"]',
        [PLUGIN]: '{"daily":{"enabled":true,"folder":"P"}}',
      },
      'daily',
      { folder: 'Core' },
    ],
    [
      'the only calendar set',
      {
        [PLUGIN]:
          '{"calendarSets":[{"id":"x","day":{"enabled":true,"format":"YYYYMMDD","templatePath":"T2"}}]}',
      },
      'daily',
      { format: 'YYYYMMDD', folder: '', template: 'T2' },
    ],
    [
      'of several sets the active one',
      {
        [PLUGIN]:
          '{"activeCalendarSet":"work","calendarSets":[{"id":"Default","week":{"enabled":true,"folder":"A"}},{"id":"work","week":{"enabled":true,"folder":"B"}}]}',
      },
      'weekly',
      { folder: 'B' },
    ],
    [
      'of several sets without an active one the standard one',
      {
        [PLUGIN]:
          '{"calendarSets":[{"id":"work","week":{"enabled":true,"folder":"B"}},{"id":"Default","week":{"enabled":true,"folder":"A"}}]}',
      },
      'weekly',
      { folder: 'A' },
    ],
    [
      'a period that the active set lacks falls back',
      {
        [DAILY]: core,
        [PLUGIN]:
          '{"calendarSets":[{"id":"a","week":{"enabled":true}}],"daily":{"enabled":true,"folder":"old"}}',
      },
      'daily',
      { folder: 'Core' },
    ],
    [
      'an empty list of sets leaves the flat shape',
      { [PLUGIN]: '{"calendarSets":[],"daily":{"enabled":true,"folder":"old"}}' },
      'daily',
      { folder: 'old' },
    ],
    [
      "the calendar plugin's weekly notes",
      { [CALENDAR]: '{"weeklyNoteFormat":"GGGG-[W]WW","weeklyNoteFolder":"W","weeklyNoteTemplate":"wt"}' },
      'weekly',
      { format: 'GGGG-[W]WW', folder: 'W', template: 'wt', source: 'calendar' },
    ],
  ])('%s', async (_name, files, period, right) => {
    expect((await read(files)).periodic[period]).toMatchObject(right)
  })

  test('blanks around a setting are dropped and named', async () => {
    const { periodic, warnings } = await read({ [DAILY]: '{"folder":"Journal ","format":" YYYY"}' })
    expect(periodic.daily).toMatchObject({ folder: 'Journal', format: 'YYYY' })
    expect(warnings).toHaveLength(2)
  })

  test.each([
    ['{"weekStart":"monday"}', 1],
    ['{"weekStart":"sunday"}', 0],
    ['{"weekStart":"locale"}', null],
    ['{"weekStart":3}', null],
    ['{}', null],
  ])('the calendar plugin with %s starts the week at %p', async (text, right) => {
    expect((await read({ [CALENDAR]: text })).weekStart).toBe(right as never)
  })

  test('later versions keep week start and locale beside the other settings of the application', async () => {
    const settings = await read({ 'app.json': '{"weekStart":"saturday","localeOverride":"de"}' })
    expect(settings).toMatchObject({ weekStart: 6, locale: 'de' })
    expect((await read({ [CALENDAR]: '{"localeOverride":"system-default"}' })).locale).toBeNull()
  })
})
