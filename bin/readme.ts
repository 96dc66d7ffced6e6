import { settingsTable } from '../src/config/docs.ts'
import { SHIPPED_PROFILES } from '../src/mcp/profile_files.ts'
import { profileTable, toolTable } from '../src/mcp/tool_table.ts'
import { TOOLS } from '../src/mcp/tools.ts'

const TABLES: Readonly<Record<string, () => string>> = {
  tools: () => toolTable(TOOLS),
  profiles: () => profileTable(SHIPPED_PROFILES.values()),
  settings: settingsTable,
}

/**
 * A page with its tables printed afresh: each stands between `<!-- NAME: printed by "bun run docs" -->` and `<!-- /NAME -->`.
 * @throws Error where a table has no place
 */
export function withTables(page: string): string {
  let out = page
  for (const [name, print] of Object.entries(TABLES)) {
    const place = new RegExp(`(<!-- ${name}: [^>]*-->\n).*?(<!-- /${name} -->)`, 's')
    if (!place.test(out)) throw new Error(`The page has no place for the table ${name}.`)
    out = out.replace(place, (_, begin: string, end: string) => `${begin}\n${print()}\n${end}`)
  }
  return out
}
