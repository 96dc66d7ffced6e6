import { describe, expect, test } from 'bun:test'
import { type FlagForm, type FlagValue, mistypedCommand, sortArguments } from '../../src/cli/arguments.ts'

const FORMS: FlagForm[] = [
  { flag: '--port', sets: 'port', takes: 'one' },
  { flag: '--watch', sets: 'watch', takes: 'switch' },
  { flag: '--vault', sets: 'vaults', takes: 'several' },
  { flag: '--http', sets: 'transport', takes: 'switch', gives: 'http' },
  { flag: '--transport', sets: 'transport', takes: 'one' },
]

describe('sorted', () => {
  const cases: {
    argv: string[]
    settings?: Record<string, FlagValue>
    words?: string[]
    command?: string
  }[] = [
    { argv: [] },
    { argv: ['a b', '--port', '1'], settings: { port: '1' }, words: ['a b'] },
    { argv: ['--port=1', 'x'], settings: { port: '1' }, words: ['x'] },
    { argv: ['--port=', 'x'], settings: { port: '' }, words: ['x'] },
    { argv: ['--port', '-1'], settings: { port: '-1' } },
    { argv: ['--port', '1', '--port', '2'], settings: { port: '2' } },
    { argv: ['--watch', 'x'], settings: { watch: true }, words: ['x'] },
    { argv: ['--watch', 'Off', 'x'], settings: { watch: 'Off' }, words: ['x'] },
    { argv: ['--watch', '0'], settings: { watch: true }, words: ['0'] },
    { argv: ['--no-watch'], settings: { watch: false } },
    { argv: ['--vault', 'a=b', '--vault=c=d'], settings: { vaults: ['a=b', 'c=d'] } },
    { argv: ['--http', '--transport', 'stdio'], settings: { transport: 'stdio' } },
    { argv: ['--transport', 'stdio', '--http'], settings: { transport: 'http' } },
    { argv: ['--', '--port', 'help'], words: ['--port', 'help'] },
    { argv: ['-'], words: ['-'] },
    { argv: ['config', 'config'], words: ['config'], command: 'config' },
    { argv: ['./config'], words: ['./config'] },
    { argv: ['--port', '1', 'config'], settings: { port: '1' }, words: ['config'] },
    { argv: ['config', '--', '--help'], words: ['--help'], command: 'config' },
    { argv: ['x', '-V'], command: 'version' },
    { argv: ['config', '-h'], words: ['config'], command: 'help' },
  ]
  test.each(cases)('$argv', ({ argv, settings = {}, words = [], command = 'run' }) => {
    const sorted = sortArguments(argv, FORMS)
    const values = Object.fromEntries([...sorted.settings].map(([sets, { value }]) => [sets, value]))
    expect({ values, words: sorted.words, command: sorted.command.name }).toEqual({
      values: settings,
      words,
      command,
    })
  })
})

const wrong: [string[], string][] = [
  [['--porr', '1'], 'there is no flag --porr. Did you mean "--port"?'],
  [['--no-port'], 'there is no flag --no-port. Did you mean "--port"?'],
  [['--no-watch=1'], '--no-watch takes no value; use --watch=1'],
  [['-p'], 'there is no flag -p. "knap --help" lists them all.'],
  [['--port'], '--port needs a value: --port VALUE'],
  [['--port', '--watch'], '--port needs a value: --port VALUE'],
  [['--http=true'], '--http takes no value'],
]
test.each(wrong)('%j is refused', (argv, says) => {
  expect(() => sortArguments(argv, FORMS)).toThrow(says)
})

const slips: [string, string | undefined][] = [
  ['confg', 'config'],
  ['hlep', 'help'],
  ['Notes', undefined],
  ['~/config', undefined],
]
test.each(slips)('%s is meant for %p', (word, right) => {
  expect(mistypedCommand(word)).toBe(right)
})
