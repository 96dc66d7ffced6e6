import { expect, test } from 'bun:test'
import { SHIPPED_PROFILES } from '../../src/mcp/profile_files.ts'
import { describeTool } from '../../src/mcp/registry.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

/** Bytes of names, descriptions and input schemas together: what a model reads of the tools in every conversation. */
function bytesOf(profile: string): number {
  const names = SHIPPED_PROFILES.get(profile)!.tools
  return TOOLS.filter((tool) => names.includes(tool.name))
    .map((tool) => describeTool(tool, 'open'))
    .reduce((sum, d) => sum + Buffer.byteLength(d.name + d.description + JSON.stringify(d.inputSchema)), 0)
}

test.each([
  { profile: 'classic', most: 15_000 },
  { profile: 'full', most: 28_000 },
])('the tools of $profile cost a model at most $most bytes', ({ profile, most }) => {
  expect(bytesOf(profile)).toBeLessThanOrEqual(most)
})
