import { RE2JS } from 're2js'
import { VaultError } from '../errors.ts'
import type { NoteFacts } from '../note/note.ts'
import { pathKey } from '../note/path.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import { type FieldValue, type FileInfo, readField } from './fields.ts'
import { compareValues, sameValue } from './values.ts'

export const OPERATORS = [
  'eq',
  'ne',
  'contains',
  'exists',
  'missing',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'matches',
] as const

export type Operator = (typeof OPERATORS)[number]

/** One condition on a property; see {@link readField} for the fields that every file has. */
export interface Condition {
  readonly field: string
  /** Default `eq`. */
  readonly operator?: Operator | undefined
  /** Undefined: none was given, which only `exists` and `missing` allow. Null is a value. */
  readonly value?: unknown
}

export type NotePredicate = (facts: NoteFacts, file: FileInfo) => boolean

/**
 * A test of what a note says; every condition must hold.
 * - `eq`: the value, an element of the list, or the whole list; `ne`: the property is there and not `eq`
 * - `contains`: part of a text, an element of a list (never part of one), a key of a mapping
 * - `lt lte gt gte`: numbers, dates and texts, for a list any element; values of different types never fit
 * - `in`: `eq` to one of the values; `matches`: an RE2 expression is found in the text (or in an element of the list)
 * - `exists`, `missing`: the property is there, null included, or not
 * @throws VaultError `bad_argument` for a condition that means nothing
 */
export function compileWhere(conditions: readonly Condition[]): NotePredicate {
  const tests = conditions.map((condition) => ({ field: condition.field, test: compileTest(condition) }))
  return (facts, file) => tests.every(({ field, test }) => test(readField({ facts, file }, field)))
}

/**
 * Does the note have this tag, in its properties or its text? Case and a leading `#` count for nothing.
 * @param includeNested `a` is also found as `a/b`
 */
export function matchTag(facts: Pick<NoteFacts, 'tags'>, tag: string, includeNested = true): boolean {
  const wanted = tagKey(tag)
  if (wanted === '') return false
  return facts.tags.some((have) => {
    const key = tagKey(have)
    return key === wanted || (includeNested && key.startsWith(`${wanted}/`))
  })
}

/** Longer expressions are refused, as in search_regex. Bytes of UTF-8. */
const MAX_PATTERN_BYTES = 1000

type Test = (found: FieldValue) => boolean

function compileTest(condition: Condition): Test {
  const { field, value } = condition
  const operator = String(condition.operator ?? 'eq').toLowerCase() as Operator
  refuseUnknownKeys(condition)
  if (field.trim() === '')
    throw badCondition('A condition names no field.', 'Name a property, such as "status".')
  if (!OPERATORS.includes(operator)) {
    const near = didYouMean(nearest(String(operator), OPERATORS))
    throw badCondition(
      `There is no operator "${operator}".${near}`,
      `The operators are ${OPERATORS.join(', ')}.`,
    )
  }
  if (operator === 'exists') return ({ there }) => there
  if (operator === 'missing') return ({ there }) => !there
  if (value === undefined) {
    throw badCondition(
      `The operator ${operator} on "${field}" needs a value.`,
      'Give a value, or use exists or missing.',
    )
  }
  const test = compileValueTest(operator, value, isTagField(field) ? sameTag : sameValue)
  return (found) => found.there && test(found.value)
}

function compileValueTest(operator: Operator, value: unknown, same: Same): (have: unknown) => boolean {
  switch (operator) {
    case 'eq':
      return (have) => isEqual(have, value, same)
    case 'ne':
      return (have) => !isEqual(have, value, same)
    case 'in': {
      if (!Array.isArray(value))
        throw badCondition('The operator in needs a list of values.', 'Give a list: ["a", "b"].')
      return (have) => value.some((one) => isEqual(have, one, same))
    }
    case 'contains':
      return (have) => contains(have, value, same)
    case 'matches':
      return compileMatch(value)
    default:
      return compileRange(operator, value)
  }
}

function refuseUnknownKeys(condition: Condition): void {
  const unknown = Object.keys(condition).find((key) => !KEYS.includes(key))
  if (unknown === undefined) return
  throw badCondition(
    `A condition has no "${unknown}".${didYouMean(nearest(unknown, KEYS, 1))}`,
    'A condition is {field, operator, value}.',
  )
}

const KEYS = ['field', 'operator', 'value']

type Same = (a: unknown, b: unknown) => boolean

function isEqual(have: unknown, value: unknown, same: Same): boolean {
  return same(have, value) || (Array.isArray(have) && have.some((element) => same(element, value)))
}

function contains(have: unknown, value: unknown, same: Same): boolean {
  if (same(have, value)) return true
  if (Array.isArray(have)) {
    if (have.some((element) => same(element, value))) return true
    return (
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((one) => have.some((element) => same(element, one)))
    )
  }
  if (typeof have === 'string' && (typeof value === 'string' || typeof value === 'number')) {
    return have.normalize('NFC').includes(String(value).normalize('NFC'))
  }
  if (have !== null && typeof have === 'object')
    return typeof value === 'string' && Object.hasOwn(have, value)
  return same(have, value)
}

function compileMatch(value: unknown): (have: unknown) => boolean {
  if (typeof value !== 'string')
    throw badCondition('The operator matches needs an expression.', 'Give it as text.')
  if (Buffer.byteLength(value) > MAX_PATTERN_BYTES) {
    throw badCondition(`The expression is longer than ${MAX_PATTERN_BYTES} bytes.`, 'Give a shorter one.')
  }
  const expression = compileExpression(value)
  const found = (one: unknown): boolean =>
    one !== null && typeof one !== 'object' && expression.test(String(one))
  return (have) => (Array.isArray(have) ? have.some(found) : found(have))
}

function compileExpression(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw badCondition(
      `The expression cannot be read: ${reason}.`,
      'RE2 syntax: no look-around, no back references.',
    )
  }
}

function compileRange(operator: Operator, value: unknown): (have: unknown) => boolean {
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw badCondition(
      `The operator ${operator} needs a number, a date or a text.`,
      'Give one, such as 5 or "2026-01-31".',
    )
  }
  const fits = (one: unknown): boolean => {
    const order = compareValues(one, value)
    if (order === null) return false
    if (operator === 'lt') return order < 0
    if (operator === 'lte') return order <= 0
    return operator === 'gt' ? order > 0 : order >= 0
  }
  return (have) => (Array.isArray(have) ? have.some(fits) : fits(have))
}

/** Tags are the same with and without `#`, in any case; a text may hold several, as in `tags: a, b`. */
function sameTag(have: unknown, value: unknown): boolean {
  if (typeof have !== 'string' || typeof value !== 'string') return sameValue(have, value)
  const wanted = tagKey(value)
  return tagKey(have) === wanted || have.split(/[\s,]+/).some((one) => tagKey(one) === wanted)
}

function isTagField(field: string): boolean {
  return /^(?:file\.)?tags?$/i.test(field)
}

function tagKey(tag: string): string {
  return pathKey(tag.trim().replace(/^#/, '')).replace(/\/+$/, '')
}

function badCondition(message: string, hint: string): VaultError {
  return new VaultError('bad_argument', message, { hint })
}
