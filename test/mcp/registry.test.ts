import { describe, expect, test } from 'bun:test'
import { describeTool, toolSet } from '../../src/mcp/registry.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

const named = (name: string) => TOOLS.find((t) => t.name === name)!

describe('describeTool', () => {
  test('a tool that reads and writes shows only its reading actions where writing is closed', () => {
    const actions = (access: 'read' | 'open') =>
      describeTool(named('frontmatter'), access).inputSchema.properties?.action?.enum
    expect([actions('open'), actions('read')]).toEqual([['get', 'set', 'remove'], ['get']])
    expect(describeTool(named('frontmatter'), 'read').annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    })
  })

  test.each(TOOLS.map((tool) => ({ name: tool.name, tool })))(
    '$name: strict input, an object out, annotations whole',
    ({ tool }) => {
      const { inputSchema, outputSchema, annotations, title, description } = describeTool(tool, 'open')
      expect(inputSchema.additionalProperties).toBe(false)
      expect(outputSchema.type).toBe('object')
      expect(outputSchema.required?.length).toBeGreaterThan(0)
      expect(Object.values(annotations).map((v) => typeof v)).toEqual([
        'boolean',
        'boolean',
        'boolean',
        'boolean',
      ])
      expect([title.length > 3, description.length > 20]).toEqual([true, true])
    },
  )
})

test('a closed tool is neither listed nor found', () => {
  const set = toolSet(TOOLS, (name) => (name === 'note_read' ? 'open' : 'closed'))
  expect(set.open().map(({ tool }) => tool.name)).toEqual(['note_read'])
  expect(set.find('note_write')).toBeUndefined()
})
