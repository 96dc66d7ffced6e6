import { describe, expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { readAppSettings } from '../../src/vault/app_settings.ts'
import {
  findPeriodic,
  listPeriodic,
  type PeriodicContext,
  planPeriodicAppend,
  planPeriodicCreate,
} from '../../src/vault/periodic.ts'
import type { Period } from '../../src/vault/periodic_settings.ts'
import { storageOf } from './storage_of.ts'

const DAILY = '.obsidian/daily-notes.json'
const PLUGIN = '.obsidian/plugins/periodic-notes/data.json'
const CALENDAR = '.obsidian/plugins/calendar/data.json'

interface Options extends Partial<PeriodicContext> {
  readonly outside?: readonly string[]
  /** What a clock in UTC shows. */
  readonly clock?: string
}

async function context(files: Record<string, string>, options: Options = {}): Promise<PeriodicContext> {
  const { outside = [], clock = '2026-07-15T09:05:00Z', ...more } = options
  const storage = storageOf(files, { outside })
  const settings = await readAppSettings(storage)
  return { storage, settings, now: Date.parse(clock), zone: 'UTC', locale: 'en', ...more }
}

const refusal = (code: string) => expect.objectContaining({ name: 'VaultError', code })

async function createdPath(files: Record<string, string>, period: Period, date?: string, options?: Options) {
  return (await planPeriodicCreate(await context(files, options), { period, date })).path
}

describe('the path of a new note', () => {
  const flat = (period: string, more: object) => ({
    [PLUGIN]: JSON.stringify({ [period]: { enabled: true, ...more } }),
  })
  const rows: [
    files: Record<string, string>,
    period: Period,
    date: string,
    right: string,
    options?: Options,
  ][] = [
    [{}, 'daily', '2026-01-15', '2026-01-15.md'],
    [{}, 'weekly', '2026-07-15', '2026-W29.md'],
    [{}, 'monthly', '2026-07-15', '2026-07.md'],
    [{}, 'quarterly', '2026-07-15', '2026-Q3.md'],
    [{}, 'yearly', '2026-07-15', '2026.md'],
    [
      { [DAILY]: '{"format":"dddd, MMMM D YYYY","folder":"Journal"}' },
      'daily',
      '2026-03-19',
      'Journal/Thursday, March 19 2026.md',
    ],
    [
      { [DAILY]: '{"format":"[Day] DDDD, Do MMM","folder":"D"}' },
      'daily',
      '2026-03-02',
      'D/Day 061, 2nd Mar.md',
    ],
    [
      { [DAILY]: '{"format":"YYYY/MM-MMMM/YYYY-MM-DD-dddd","folder":"/a/"}' },
      'daily',
      '2024-02-29',
      'a/2024/02-February/2024-02-29-Thursday.md',
    ],
    [
      { [DAILY]: '{"format":"YYYY-MM-DD","folder":"Journal /x "}' },
      'daily',
      '2026-01-15',
      'Journal/x/2026-01-15.md',
    ],
    [{ [DAILY]: '{"folder":"a\\\\b"}' }, 'daily', '2026-01-15', 'a/b/2026-01-15.md'],
    [{ [DAILY]: '{"folder":"/"}' }, 'daily', '2026-01-15', '2026-01-15.md'],
    [{ [DAILY]: '{"folder":"/old/deep"}', 'old/x.md': '' }, 'daily', '2026-01-15', 'old/deep/2026-01-15.md'],
    [{ [DAILY]: '{"format":"YYYY-MM-DD[.md]"}' }, 'daily', '2026-01-15', '2026-01-15.md'],
    [flat('weekly', { format: 'GGGG-[W]WW' }), 'weekly', '2026-12-31', '2026-W53.md'],
    [flat('weekly', { format: 'GGGG-[W]WW' }), 'weekly', '2027-01-03', '2026-W53.md'],
    [flat('weekly', { format: 'gggg-[W]ww' }), 'weekly', '2026-12-31', '2027-W01.md'],
    [{}, 'weekly', '2026-03-08', '2026-W11.md'],
    [{}, 'weekly', '2026-03-08', '2026-W10.md', { locale: 'de_DE.UTF-8' }],
    [{ [CALENDAR]: '{"weekStart":"monday"}' }, 'weekly', '2026-03-08', '2026-W10.md'],
    [{ [DAILY]: '{"format":"D. MMMM"}' }, 'daily', '2026-03-08', '8. März.md', { locale: 'de' }],
    [
      { [DAILY]: '{"format":"D MMMM"}', [CALENDAR]: '{"localeOverride":"fr"}' },
      'daily',
      '2026-03-08',
      '8 mars.md',
      { locale: 'de' },
    ],
  ]
  for (const [files, period, date, right, options] of rows) {
    test(`${JSON.stringify(files)}, ${period} note of ${date}: ${right}`, async () => {
      expect(await createdPath(files, period, date, options)).toBe(right)
    })
  }

  test('today is the day of the zone', async () => {
    const clock = '2026-01-01T04:00:00Z'
    expect(await createdPath({}, 'daily', undefined, { clock })).toBe('2026-01-01.md')
    expect(await createdPath({}, 'daily', undefined, { clock, zone: 'America/New_York' })).toBe(
      '2025-12-31.md',
    )
    expect(await createdPath({}, 'yearly', undefined, { clock, zone: 'America/New_York' })).toBe('2025.md')
  })

  test.each(['2026-13-01', '2026-02-29', '01.02.2026', 'yesterday', '2026-W01', ''])(
    'the date %p is refused',
    async (date) => {
      await expect(createdPath({}, 'daily', date)).rejects.toEqual(refusal('bad_argument'))
    },
  )

  test.each([
    ['{"folder":"../outside"}', 'outside_vault'],
    ['{"folder":"a/../../outside"}', 'outside_vault'],
    ['{"folder":"..\\\\outside"}', 'outside_vault'],
    ['{"folder":"/tmp/outside"}', 'outside_vault'],
    ['{"folder":"C:\\\\outside"}', 'outside_vault'],
    ['{"folder":"Link"}', 'outside_vault'],
    ['{"folder":".obsidian/x"}', 'bad_path'],
    ['{"folder":"a/.git"}', 'bad_path'],
    ['{"format":"[../]YYYY"}', 'outside_vault'],
    ['{"format":"[.obsidian/]YYYY"}', 'bad_path'],
    ['{"format":"[/]"}', 'bad_path'],
    ['{"template":"../canary"}', 'outside_vault'],
    ['{"template":"/tmp/canary.md"}', 'outside_vault'],
    ['{"template":"Link/canary"}', 'outside_vault'],
    ['{"template":".obsidian/app"}', 'bad_path'],
  ])('%s is refused for every action that would use it', async (json, code) => {
    const ctx = await context({ [DAILY]: json, '.obsidian/app.json': '{}' }, { outside: ['Link'] })
    const right = refusal(code)
    await expect(planPeriodicCreate(ctx, { period: 'daily' })).rejects.toEqual(right)
    await expect(planPeriodicAppend(ctx, { period: 'daily' })).rejects.toEqual(right)
    if (json.includes('template')) return
    await expect(findPeriodic(ctx, { period: 'daily' })).rejects.toEqual(right)
    if (json.includes('folder')) await expect(listPeriodic(ctx, 'daily')).rejects.toEqual(right)
  })
})

describe('the text of a new note', () => {
  const content = async (files: Record<string, string>, more: { content?: string; date?: string } = {}) =>
    await planPeriodicCreate(await context(files), { period: 'daily', date: '2026-03-19', ...more })

  test('comes from the template, its .md left out or not', async () => {
    const files = { 'Templates/Day.md': '# {{title}}\n{{date}}\n{{date:DD.MM.YYYY}}\n{{time}}\n{{other}}\n' }
    for (const template of ['Templates/Day', 'Templates/Day.md', '/Templates/Day', ' Templates/Day ']) {
      const plan = await content({ ...files, [DAILY]: JSON.stringify({ format: 'dddd', template }) })
      expect(plan).toMatchObject({
        title: 'Thursday',
        content: '# Thursday\n2026-03-19\n19.03.2026\n09:05\n{{other}}\n',
        template: 'Templates/Day.md',
      })
    }
  })

  test('names the neighbours as daily notes are named', async () => {
    const files = { [DAILY]: '{"format":"D.M.YYYY","template":"T"}', 'T.md': '{{yesterday}}..{{tomorrow}}' }
    expect((await content(files, { date: '2026-03-01' })).content).toBe('28.2.2026..2.3.2026')
  })

  test("takes the core Templates plugin's formats", async () => {
    const files = {
      [DAILY]: '{"template":"T"}',
      '.obsidian/templates.json': '{"dateFormat":"DD.MM.YY","timeFormat":"HH[h]"}',
      'T.md': '{{date}} {{time}}',
    }
    expect((await content(files)).content).toBe('19.03.26 09h')
  })

  test('is the content where there is one, empty content too', async () => {
    const files = { [DAILY]: '{"template":"T"}', 'T.md': 'from template\n' }
    expect((await content(files, { content: 'mine {{title}}\n' })).content).toBe('mine {{title}}\n')
    expect((await content(files, { content: '' })).content).toBe('')
  })

  test('is empty, with a warning, where the template is gone', async () => {
    const plan = await content({ [DAILY]: '{"template":"gone"}' })
    expect(plan.content).toBe('')
    expect(plan.warnings).toEqual([
      'The template "gone" of daily notes does not exist, so the note is empty.',
    ])
    expect((await content({})).warnings).toEqual([])
  })

  test('finds a template by its name alone where a resolver is at hand', async () => {
    const resolve = (name: string) => (name === 'Day.md' ? 'Deep/Day.md' : null)
    const ctx = await context({ [DAILY]: '{"template":"Day"}', 'Deep/Day.md': 'deep' }, { resolve })
    expect((await planPeriodicCreate(ctx, { period: 'daily' })).content).toBe('deep')
  })

  test('is refused where the template is no text', async () => {
    const files = { [DAILY]: '{"template":"T"}' } as Record<string, string>
    const storage = storageOf({ ...files, 'T.md': new Uint8Array([0xff, 0xfe, 0x41]) })
    const ctx = { ...(await context(files)), storage }
    await expect(planPeriodicCreate(ctx, { period: 'daily' })).rejects.toEqual(refusal('bad_encoding'))
  })

  test('warns of words that the format reads as a date', async () => {
    expect((await content({ [DAILY]: '{"format":"[Journal] Journal"}' })).warnings).toEqual([
      'The format "[Journal] Journal" reads letters of "Journal" as parts of the date; meant literally it is [Journal].',
    ])
  })
})

describe('get, create and append', () => {
  test('the exact path only: the same name in a folder below is another note', async () => {
    const ctx = await context({ [DAILY]: '{"folder":"Daily"}', 'Daily/_Cal/2021-04-20.md': '' })
    await expect(findPeriodic(ctx, { period: 'daily', date: '2021-04-20' })).rejects.toEqual(
      refusal('not_found'),
    )
  })

  test('what is missing is named with its path, and whether settings name it', async () => {
    for (const [files, configured] of [
      [{}, false],
      [{ [DAILY]: '{"folder":"D"}' }, true],
    ] as const) {
      const ctx = await context(files)
      const error = await findPeriodic(ctx, { period: 'daily', date: '2026-02-02' }).catch((e) => e)
      expect(error).toBeInstanceOf(VaultError)
      expect(error).toMatchObject({
        code: 'not_found',
        details: { path: configured ? 'D/2026-02-02.md' : '2026-02-02.md', configured },
      })
    }
  })

  test.each<[period: 'daily' | 'weekly' | 'yearly', files: Record<string, string>, code: string]>([
    ['daily', {}, 'not_found'],
    ['weekly', {}, 'not_configured'],
    ['yearly', { [DAILY]: '{"folder":"D"}' }, 'not_configured'],
    ['weekly', { [PLUGIN]: '{"weekly":{"enabled":false,"folder":"W"}}' }, 'not_configured'],
    ['weekly', { [PLUGIN]: '{"weekly":{"enabled":true,"folder":"W"}}' }, 'not_found'],
  ])('a missing %s note with %p is %s', async (period, files, code) => {
    const ctx = await context(files)
    await expect(findPeriodic(ctx, { period, date: '2026-02-02' })).rejects.toMatchObject({ code })
  })

  test('what exists is not created again, and is where text is appended', async () => {
    const ctx = await context({ '2026-01-01.md': 'old\n' })
    const request = { period: 'daily', date: '2026-01-01' } as const
    await expect(planPeriodicCreate(ctx, request)).rejects.toEqual(refusal('already_exists'))
    expect(await findPeriodic(ctx, request)).toEqual({
      path: '2026-01-01.md',
      title: '2026-01-01',
      date: '2026-01-01',
    })
    expect(await planPeriodicAppend(ctx, request)).toMatchObject({ path: '2026-01-01.md', create: null })
  })

  test('appending to a missing note brings the plan that makes it', async () => {
    const ctx = await context({ [DAILY]: '{"template":"T"}', 'T.md': '# {{title}}\n' })
    const plan = await planPeriodicAppend(ctx, { period: 'daily', date: '2026-01-02' })
    expect(plan).toMatchObject({
      path: '2026-01-02.md',
      create: { path: '2026-01-02.md', content: '# 2026-01-02\n' },
    })
  })

  test('a weekly note named by a day is found on the other days of its week', async () => {
    const files = {
      [PLUGIN]: '{"weekly":{"enabled":true,"format":"YYYY-MM-DD","folder":"W"}}',
      'W/2026-07-13.md': '',
    }
    const ctx = await context(files)
    const on = (date: string) => planPeriodicAppend(ctx, { period: 'weekly', date })
    expect((await on('2026-07-16')).path).toBe('W/2026-07-13.md')
    expect((await on('2026-07-16')).create).toBeNull()
    expect((await on('2026-07-12')).create).toBeNull() // the Sunday before: an American week
    expect((await on('2026-07-19')).create?.path).toBe('W/2026-07-19.md')
  })

  test('paths that rules close are refused before they are looked at', async () => {
    const judge = (path: string) => {
      if (path.startsWith('Private/')) throw new VaultError('not_found', path, { hint: '' })
    }
    const files = { [DAILY]: '{"folder":"Private"}', 'Private/2026-07-15.md': 'secret' }
    const ctx = await context(files, { judge })
    await expect(findPeriodic(ctx, { period: 'daily' })).rejects.toEqual(refusal('not_found'))
    expect(await listPeriodic(ctx, 'daily')).toEqual([])
    const template = { [DAILY]: '{"template":"Private/T"}', 'Private/T.md': 'secret' }
    await expect(planPeriodicCreate(await context(template, { judge }), { period: 'daily' })).rejects.toEqual(
      refusal('not_found'),
    )
  })
})

describe('list', () => {
  const list = async (files: Record<string, string>, period: Period, options?: Options) =>
    (await listPeriodic(await context(files, options), period)).map(({ path, date }) => [path, date])

  test('newest first, folders in the format, other files are none', async () => {
    const files = {
      [DAILY]: '{"format":"YYYY/MM/DD","folder":"D"}',
      ...Object.fromEntries(
        ['2026/01/01', '2026/03/12', '2025/12/31', '2024/02/29'].map((d) => [`D/${d}.md`, '']),
      ),
      ...Object.fromEntries(
        [
          'notes.md',
          '2026/01/77.md',
          '2025/02/29.md',
          '2026/01/02.txt',
          '2026/1/3.md',
          'x/2026/01/04.md',
          '2026/01/05/06.md',
        ].map((p) => [`D/${p}`, '']),
      ),
      '2026/01/09.md': '',
      'D2/2026/01/10.md': '',
    }
    expect(await list(files, 'daily')).toEqual([
      ['D/2026/03/12.md', '2026-03-12'],
      ['D/2026/01/01.md', '2026-01-01'],
      ['D/2025/12/31.md', '2025-12-31'],
      ['D/2024/02/29.md', '2024-02-29'],
    ])
  })

  test('each period in the root finds its own', async () => {
    const names = [
      '2026-W02',
      '2025-W50',
      '2026-03',
      '2026-01',
      '2026-Q1',
      '2025-Q4',
      '2026',
      '2024',
      '2026-01-05',
      'other',
    ]
    const files = Object.fromEntries(names.map((name) => [`${name}.md`, '']))
    expect(await list(files, 'daily')).toEqual([['2026-01-05.md', '2026-01-05']])
    expect(await list(files, 'weekly')).toEqual([
      ['2026-W02.md', '2026-01-04'],
      ['2025-W50.md', '2025-12-07'],
    ])
    expect(await list(files, 'monthly')).toEqual([
      ['2026-03.md', '2026-03-01'],
      ['2026-01.md', '2026-01-01'],
    ])
    expect(await list(files, 'quarterly')).toEqual([
      ['2026-Q1.md', '2026-01-01'],
      ['2025-Q4.md', '2025-10-01'],
    ])
    expect(await list(files, 'yearly')).toEqual([
      ['2026.md', '2026-01-01'],
      ['2024.md', '2024-01-01'],
    ])
  })

  test('a folder that is not there holds none; one that leads outside is refused', async () => {
    expect(await list({ [DAILY]: '{"folder":"Nowhere"}' }, 'daily')).toEqual([])
    await expect(list({ [DAILY]: '{"folder":"Link"}' }, 'daily', { outside: ['Link'] })).rejects.toEqual(
      refusal('outside_vault'),
    )
  })

  test('names without a year are of this year', async () => {
    const files = { [DAILY]: '{"format":"[Day] DDDD, Do MMM"}', 'Day 061, 2nd Mar.md': '' }
    expect(await list(files, 'daily')).toEqual([['Day 061, 2nd Mar.md', '2026-03-02']])
  })
})
