export type Cell = string | number

/**
 * A table as text: the first column on the left, the others on the right.
 * @param digits after the point, for cells that are numbers but no integers
 */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], digits = 3): string {
  const printed = [head, ...rows.map((row) => row.map((cell) => show(cell, digits)))]
  const widths = head.map((_, column) => Math.max(...printed.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, i) => (i === 0 ? (row[i] ?? '').padEnd(width) : (row[i] ?? '').padStart(width))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(printed[0]!), rule, ...printed.slice(1).map(line)].join('\n')
}

function show(cell: Cell, digits: number): string {
  if (typeof cell === 'string') return cell
  return Number.isInteger(cell) ? String(cell) : cell.toFixed(digits)
}
