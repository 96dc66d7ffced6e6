import { expect, test } from 'bun:test'
import { z } from 'zod'
import type { Tool } from '../../src/mcp/tool.ts'
import { profileTable, toolTable } from '../../src/mcp/tool_table.ts'

function tool(description: string): Tool {
  const input = z.strictObject({
    path: z.string(),
    kind: z.enum(['a', 'b']).default('a'),
    limit: z.int().optional(),
  })
  return {
    name: 'look',
    title: 'Look',
    description,
    input,
    output: z.object({}),
    access: 'read',
    run: async () => ({ data: {} }),
  }
}

const cases: [string, string][] = [
  ['Looks. And more.', 'Looks.'],
  ['Looks (e.g. here. There), then stops. More.', 'Looks (e.g. here. There), then stops.'],
  ['Looks at a.md files. More.', 'Looks at a.md files.'],
  ['Looks: a | b', 'Looks: a \\| b'],
]
test.each(cases)('%s', (description, right) => {
  expect(toolTable([tool(description)])).toBe(
    [
      '| Tool | What it does | Parameters |',
      '| --- | --- | --- |',
      `| \`look\` | ${right} | **\`path\`**, \`kind\` a\\|b = "a", \`limit\` |`,
      '',
    ].join('\n'),
  )
})

test('a profile has its row', () => {
  const profile = { name: 'mine', description: 'Mine.', tools: ['a', 'b'], readingActionsOf: ['c'] }
  expect(profileTable([profile]).split('\n')[2]).toBe('| `mine` | Mine. | 2 | `c` |')
})
