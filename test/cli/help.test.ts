import { expect, test } from 'bun:test'
import { COMMANDS } from '../../src/cli/commands.ts'
import { helpText } from '../../src/cli/help.ts'
import { helpOptions } from '../../src/config/docs.ts'
import { SETTINGS } from '../../src/config/schema.ts'

test('the help names every command, every flag and its variable, and fits a terminal', () => {
  const text = helpText(null, helpOptions())
  for (const { name } of COMMANDS) expect(text).toContain(`  ${name} `)
  for (const { flag, env, takes } of SETTINGS) {
    if (flag === null) continue
    expect(text).toContain(takes === 'switch' ? `--[no-]${flag.slice(2)}  ${env[0]}` : `${flag} VALUE`)
    expect(text).toContain(env[0] as string)
  }
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([])
})

test('no two settings share a flag, a variable or a key', () => {
  const names = SETTINGS.flatMap(({ flag, env, fileKey }) => [
    ...(flag === null ? [] : [flag]),
    ...env,
    fileKey,
  ])
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test.each(COMMANDS.map((command) => [command.name]))('the help of %s shows its examples', (name) => {
  const command = COMMANDS.find((candidate) => candidate.name === name)
  const text = helpText(name, helpOptions())
  expect(text.startsWith(`Usage: knap ${command?.usage}\n`)).toBe(true)
  for (const example of command?.examples ?? []) expect(text).toContain(`  ${example}\n`)
})

test('an unknown command gets the whole help', () => {
  expect(helpText('nope', helpOptions())).toBe(helpText(null, helpOptions()))
})
