import { describe, expect, test } from 'bun:test'
import { SHIPPED_PROFILES } from '../../src/mcp/profile_files.ts'
import { accessIn, parseToolFilter } from '../../src/mcp/profiles.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

const names = { tools: TOOLS, profiles: SHIPPED_PROFILES }

test('the profile "full" opens every tool that there is', () => {
  const filter = parseToolFilter('', names)
  expect(TOOLS.filter((tool) => accessIn(filter, tool.name) !== 'open').map((tool) => tool.name)).toEqual([])
})

describe('the profile "read" knows how each tool reads', () => {
  const filter = parseToolFilter('read', names)
  /** Changes nothing in the vault, and yet starts a program on somebody's screen. */
  const ACTS = ['open_in_obsidian']
  test.each(TOOLS.map((tool) => [tool.name, tool.access] as const))('%s', (name, access) => {
    const right =
      typeof access === 'object' ? 'read' : access === 'read' && !ACTS.includes(name) ? 'open' : 'closed'
    expect(accessIn(filter, name)).toBe(right)
  })
})
