import type { YamlText } from './yaml.ts'

/** What a plain block of properties holds; every other block is for the library to read. */
export interface SimpleYaml {
  readonly data: Record<string, unknown>
  readonly texts: readonly YamlText[]
}

const PAIR = /^([A-Za-z_][\w-]*(?: [\w-]+)*):(?:[ ]+(.*?))?[ ]*$/
const ITEM = /^( *)- +(.*?)[ ]*$/
/** Plain text that is text to every reader: no sign at its beginning, no `: ` and no ` #` in it, no colon at its end. */
const PLAIN =
  /^[A-Za-z0-9_/(.\u00a1-\u2027\u2030-\ud7ff\ue000-\ufdff](?:(?!: | #)[^\t\u2028\u2029\ufeff])*(?<!:)$/
const FLOW_PLAIN =
  /^[A-Za-z0-9_/(.\u00a1-\u2027\u2030-\ud7ff\ue000-\ufdff][^\t,:#[\]{}"'\u2028\u2029\ufeff]*$/
const NUMBER_LIKE = /^[.0-9]/
/** Whatever the core schema may take for a number; all but plain whole ones are left to the library. */
const NUMBER = /^[.\d][\d.]*(?:[eE][-+]?\d+)?$|^0[ox][\da-fA-F]+$|^\.(?:inf|nan)$/i
const WORD = /^(?:null|Null|NULL|true|True|TRUE|false|False|FALSE)$/

/**
 * Reads the YAML that almost every note has: `key: value`, `key:` with a list of plain values, and `[a, b]`.
 * Ten times as fast as the library, and held to it by a test.
 * @returns null wherever there is anything else
 */
export function readSimpleYaml(text: string): SimpleYaml | null {
  if (/[\t\u2028\u2029\ufeff]|\r(?!\n)/.test(text)) return null
  const reader = new SimpleReader()
  let at = 0
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (!reader.line(line, at)) return null
    at += raw.length + 1
  }
  return reader
}

class SimpleReader implements SimpleYaml {
  readonly data: Record<string, unknown> = {}
  readonly texts: YamlText[] = []
  private key = ''
  /** Items of the list under `key`, and their indentation; null where the key has a value of its own. */
  private list: unknown[] | null = null
  private indent = -1

  line(line: string, at: number): boolean {
    const first = line.charCodeAt(0)
    if (line.length === 0 || first === 0x23) return true
    if (first === 0x20 || first === 0x2d) return this.item(line, at)
    const pair = PAIR.exec(line)
    if (pair === null) return false
    this.key = pair[1]!
    if (this.key in this.data || this.key === '__proto__') return false
    const written = pair[2] ?? ''
    this.list = written === '' ? [] : null
    this.indent = -1
    this.data[this.key] = null
    if (written === '') return true
    const start = at + line.indexOf(written, this.key.length + 1)
    const value = written[0] === '[' ? this.flow(written, start) : this.scalar(written, start, PLAIN)
    if (value === undefined) return false
    this.data[this.key] = value
    return true
  }

  private item(line: string, at: number): boolean {
    const item = ITEM.exec(line)
    if (item === null) return line.trim() === ''
    if (this.list === null || (this.indent >= 0 && item[1]!.length !== this.indent)) return false
    const written = item[2]!
    this.indent = item[1]!.length
    const value = this.scalar(written, at + line.indexOf(written, this.indent + 1), PLAIN)
    if (value === undefined) return false
    this.list.push(value)
    this.data[this.key] = this.list
    return true
  }

  private flow(written: string, at: number): unknown[] | undefined {
    if (written.at(-1) !== ']') return undefined
    const inner = written.slice(1, -1)
    if (inner.trim() === '') return []
    const values: unknown[] = []
    let from = 1
    for (const part of inner.split(',')) {
      const item = part.trim()
      const value = this.scalar(item, at + from + part.indexOf(item), FLOW_PLAIN)
      if (value === undefined) return undefined
      values.push(value)
      from += part.length + 1
    }
    return values
  }

  /** @returns undefined where the value is not surely what it looks like */
  private scalar(written: string, start: number, plain: RegExp): unknown {
    const quote = written[0]
    if (quote === '"' || quote === "'") {
      const inner = written.slice(1, -1)
      if (
        written.length < 2 ||
        written.at(-1) !== quote ||
        inner.includes(quote) ||
        /[\\,[\]{}]/.test(inner)
      ) {
        if (plain === FLOW_PLAIN || !isWhole(written, quote)) return undefined
      }
      return this.text(inner, start, written.length, quote)
    }
    if (!plain.test(written)) return undefined
    if (NUMBER_LIKE.test(written)) return this.number(written, start)
    if (WORD.test(written)) return /^n/i.test(written) ? null : /^t/i.test(written)
    return this.text(written, start, written.length, '')
  }

  private number(written: string, start: number): unknown {
    if (/^\d+$/.test(written)) {
      const value = Number(written)
      return Number.isSafeInteger(value) ? value : this.text(written, start, written.length, '')
    }
    return NUMBER.test(written) ? undefined : this.text(written, start, written.length, '')
  }

  private text(value: string, start: number, length: number, quote: YamlText['quote']): string {
    this.texts.push({ property: this.key, value, start, end: start + length, quote })
    return value
  }
}

/** A quoted value on one line without escapes. */
function isWhole(written: string, quote: string): boolean {
  return (
    written.length >= 2 &&
    written.indexOf(quote, 1) === written.length - 1 &&
    !(quote === '"' && written.includes('\\'))
  )
}
