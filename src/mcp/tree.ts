import { visible } from '../text/visible.ts'

/**
 * Prints paths (folders end with `/`, sorted) as an indented tree, one name a line, two blanks a level.
 * Folders that only their content names get a line as well.
 */
export function printTree(root: string, paths: readonly string[]): string {
  const lines = [root]
  const printed = new Set<string>()
  for (const path of paths) {
    const segments = path.replace(/\/$/, '').split('/')
    for (const [depth, segment] of segments.entries()) {
      const isLast = depth === segments.length - 1
      const upTo = segments.slice(0, depth + 1).join('/')
      if (printed.has(upTo)) continue
      printed.add(upTo)
      lines.push(`${'  '.repeat(depth + 1)}${visible(segment)}${isLast && !path.endsWith('/') ? '' : '/'}`)
    }
  }
  return lines.join('\n')
}
