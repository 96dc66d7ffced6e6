/** How a text is written: as it stands, or in quotes. */
export type ScalarStyle = 'plain' | 'single' | 'double'

/** What stood in a place before, so that its successor looks alike. */
export interface OldScalar {
  readonly style: ScalarStyle
  readonly source: string
}

/**
 * YAML for a plain JSON value as it follows `key:` (the blank or the line feed in front included, lines of LF).
 * A null is nothing at all, as the application writes it; lists and maps stand on lines of their own, two blanks
 * further in; a text of several lines is a literal block where that can hold it.
 * @param indent column of the key
 */
export function blockValue(value: unknown, indent: number, old?: OldScalar): string {
  if (value === null) return ''
  if (typeof value === 'string' && isLiteral(value)) return literal(value, indent + 2)
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `\n${pad(indent + 2)}-${itemValue(item, indent + 2)}`).join('')
  }
  if (isFilledMap(value)) {
    return Object.entries(value)
      .map(([key, child]) => `\n${pad(indent + 2)}${keyText(key)}:${blockValue(child, indent + 2)}`)
      .join('')
  }
  return ` ${inlineValue(value, old)}`
}

/** As {@link blockValue}, for what follows the `-` of a list item in column `indent`. */
export function itemValue(value: unknown, indent: number, old?: OldScalar): string {
  if (!isFilledMap(value)) return ` ${inlineValue(value, old)}`
  return Object.entries(value)
    .map(
      ([key, child], i) =>
        `${i === 0 ? ' ' : `\n${pad(indent + 2)}`}${keyText(key)}:${blockValue(child, indent + 2)}`,
    )
    .join('')
}

/** YAML for a value on one line, outside of flow collections. */
export function inlineValue(value: unknown, old?: OldScalar): string {
  return typeof value === 'string' ? stringText(value, { flow: false, old }) : flowValue(value)
}

/** YAML for a value on one line, inside a flow collection. */
export function flowValue(value: unknown, old?: OldScalar): string {
  if (typeof value === 'string') return stringText(value, { flow: true, old })
  if (Array.isArray(value)) return `[${value.map((item) => flowValue(item)).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, child]) => `${flowValue(key)}: ${flowValue(child)}`)
    return `{${pairs.join(', ')}}`
  }
  return JSON.stringify(value)
}

/** A key as it stands before the colon of a block mapping. */
export function keyText(key: string): string {
  return stringText(key, { flow: true, old: undefined })
}

function stringText(value: string, { flow, old }: { flow: boolean; old: OldScalar | undefined }): string {
  if (old?.style === 'double') return doubleQuoted(value)
  if (old?.style === 'single' && !UNPRINTABLE.test(value)) return `'${value.replaceAll("'", "''")}'`
  if (old?.style === 'plain' && MOMENT.test(old.source) && MOMENT.test(value)) return value
  return isPlain(value, flow) ? value : doubleQuoted(value)
}

/** Control characters, line breaks of any kind, a byte-order mark, halves of surrogate pairs, tabs. */
const UNPRINTABLE =
  /[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Dates and times: text in YAML 1.2, values in 1.1. */
const MOMENT =
  /^(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[-+]\d\d:?\d\d)?)?|\d\d?:\d\d(?::\d\d)?)$/

/** What some reader of YAML 1.1 or 1.2 takes for something other than text. */
const OTHER_TYPE =
  /^(?:~|null|true|false|yes|no|on|off|<<|=|[-+]?\.(?:inf|nan)|[-+]?[.\d_][\d_.:,eExXoObBa-fA-F+\-TtZz\s]*)$/i

/**
 * May a text stand without quotes? Only where every reader, also those of YAML 1.1, takes it for this text: what
 * looks like a number, a date, a time, a truth value or nothing is quoted. No reader in use takes `y` or `n` for one.
 */
function isPlain(value: string, flow: boolean): boolean {
  if (value === '' || UNPRINTABLE.test(value) || OTHER_TYPE.test(value)) return false
  if (/^[-?:,[\]{}#&*!|>'"%@`\s]|\s$|:\s|:$|\s#|^\.\.\./.test(value)) return false
  return !flow || !/[,[\]{}]|: ?[,[\]{}]/.test(value)
}

function doubleQuoted(value: string): string {
  // JSON leaves some characters bare that readers of YAML stumble over.
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Can a literal block hold it and give it back unchanged? */
function isLiteral(value: string): boolean {
  const lines = value.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return (
    value.includes('\n') &&
    lines.every((line) => !UNPRINTABLE.test(line) && !/^\s+$/.test(line)) &&
    /^[^\s]/.test(lines[0] ?? '') &&
    lines.at(-1) !== ''
  )
}

function literal(value: string, indent: number): string {
  const ended = value.endsWith('\n')
  const lines = (ended ? value.slice(0, -1) : value).split('\n')
  return ` ${ended ? '|' : '|-'}\n${lines.map((line) => (line === '' ? '' : pad(indent) + line)).join('\n')}`
}

function isFilledMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function pad(columns: number): string {
  return ' '.repeat(columns)
}
