import { VaultError } from '../errors.ts'

/**
 * Prepares a replacement text with group references: `$1` to `$99`, `${1}`, `${name}`, `$<name>`, `$&` and `$0` (the whole
 * match), `$$` (a dollar). A `$` that is none of these stands for itself.
 * @returns what gives the text for one match, asked for its groups (`''` for one that took no part)
 * @throws VaultError `bad_argument` for a group that the pattern does not have
 */
export function expandTemplate(
  template: string,
  groups: number,
  names: readonly string[],
): (group: (which: number | string) => string) => string {
  const parts: (string | { readonly group: number | string })[] = []
  let at = 0
  for (const found of template.matchAll(/\$(?:(\$)|(&)|(\d{1,2})|\{(\w+)\}|<(\w+)>)/g)) {
    parts.push(template.slice(at, found.index))
    at = found.index + found[0].length
    const [, dollar, whole, digits, braced, angled] = found
    if (dollar !== undefined) parts.push('$')
    else if (whole !== undefined) parts.push({ group: 0 })
    else if (digits !== undefined) parts.push(...numbered(digits, groups))
    else parts.push(named((braced ?? angled)!, groups, names))
  }
  parts.push(template.slice(at))
  return (group) => parts.map((part) => (typeof part === 'string' ? part : group(part.group))).join('')
}

/** `$12` is the twelfth group where there are so many, else the first and a 2. */
function numbered(digits: string, groups: number): (string | { group: number })[] {
  const both = Number(digits)
  if (both <= groups) return [{ group: both }]
  const first = Number(digits[0])
  if (digits.length === 2 && first >= 1 && first <= groups) return [{ group: first }, digits[1]!]
  throw missing(`$${digits}`, groups)
}

function named(name: string, groups: number, names: readonly string[]): { group: number | string } {
  if (names.includes(name)) return { group: name }
  if (/^\d+$/.test(name) && Number(name) <= groups) return { group: Number(name) }
  throw missing(`\${${name}}`, groups)
}

function missing(reference: string, groups: number): VaultError {
  return new VaultError(
    'bad_argument',
    `The replacement names ${reference}, but the pattern has ${groups} groups.`,
    {
      hint: 'Put parentheses around the part to keep, or write $$ for a dollar sign.',
    },
  )
}
