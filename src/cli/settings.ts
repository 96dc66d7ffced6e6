/** A setting in force: its key in the file, its value as plain JSON, and where that comes from. */
export interface PrintedSetting {
  readonly key: string
  readonly value: unknown
  readonly origin: { readonly name: string }
}

export interface PrintedSettings {
  readonly inForce: readonly PrintedSetting[]
  /** Settings files that were read. */
  readonly files: readonly string[]
  readonly warnings: readonly string[]
  /** Variables that are set and do nothing here. */
  readonly ignored: readonly string[]
}

/** What `knap config` prints, with a line end. */
export function printSettings(printed: PrintedSettings, { json }: { json: boolean }): string {
  return json ? asJson(printed) : asTable(printed)
}

function asJson({ inForce, files, warnings, ignored }: PrintedSettings): string {
  const rows = Object.fromEntries(
    inForce.map(({ key, value, origin }) => [key, { value, origin: origin.name }]),
  )
  return `${JSON.stringify({ settings: rows, files, ignored_variables: ignored, warnings }, null, 2)}\n`
}

function asTable({ inForce, files, warnings, ignored }: PrintedSettings): string {
  const rows = inForce.map(({ key, value, origin }) => [key, written(value), origin.name] as const)
  const column = (at: 0 | 1) => Math.min(48, Math.max(...rows.map((row) => row[at].length)))
  const lines = rows.map(
    ([key, value, origin]) => `${key.padEnd(column(0))}  ${value.padEnd(column(1))}  ${origin}`,
  )
  return [
    ...lines,
    '',
    files.length === 0 ? 'No settings file was read.' : `Read: ${files.join(', ')}`,
    ...ignored.map((name) => `${name} is set and does nothing here.`),
    ...warnings.map((warning) => `Warning: ${warning}`),
    '',
  ].join('\n')
}

function written(value: unknown): string {
  if (value === null) return '-'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(item).join(', ')
  return String(value)
}

/** A vault or a corpus. */
interface Listed {
  readonly name: string
  readonly path?: string
  readonly uri?: string
  readonly place?: { readonly path?: string; readonly url?: string }
}

/** It is written the way it is given. */
function item(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const { name, path, uri, place } = value as Listed
  return `${name}=${path ?? uri ?? place?.path ?? place?.url}`
}
