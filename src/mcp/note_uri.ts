import type { VaultPath } from '../note/path.ts'

/** What a resource's address names. */
export interface NoteAddress {
  /** Of several vaults; `''` where only one is served. */
  readonly vault: string
  /** A path as it was given: spelled by the client, not yet looked up. */
  readonly path: string
  readonly part: NotePart | null
}

/** A section by its heading, a block by `^id`, or one property. */
export type NotePart =
  | { readonly kind: 'section'; readonly heading: string }
  | { readonly kind: 'block'; readonly id: string }
  | { readonly kind: 'property'; readonly name: string }

/**
 * The address of a file as a resource: `note:///Folder/My%20Note.md`, among several vaults `note://work/…`.
 * @param vault its name where several are served
 */
export function noteUri(path: VaultPath, vault = ''): string {
  return `note://${encodeURIComponent(vault)}/${encodePath(path)}`
}

/** The same without encoding, as many clients write it. */
export function plainNoteUri(path: VaultPath, vault = ''): string {
  return `note://${vault}/${path}`
}

/** The templates of addresses; all but the first name a part of a note. */
export function uriTemplates(vault = ''): readonly { readonly uriTemplate: string; readonly part: string }[] {
  const start = `note://${encodeURIComponent(vault)}/`
  return [
    { uriTemplate: `${start}{+path}`, part: 'note' },
    { uriTemplate: `${start}{+path}{#heading}`, part: 'section' },
    { uriTemplate: `${start}{+path}{?property}`, part: 'property' },
  ]
}

/** @returns the readings of an address, the likeliest first: a name may hold `#` and `?` that nobody has encoded */
export function readNoteUri(uri: string): NoteAddress[] {
  const found = /^note:\/\/([^/]*)\/(.+)$/is.exec(uri)
  if (found === null) return []
  const vault = decoded(found[1] as string)
  const rest = found[2] as string
  const whole: NoteAddress = { vault, path: decoded(rest), part: null }
  const cut = /^(.+?)(?:#(.*)|\?property=(.*))$/s.exec(rest)
  if (cut === null) return [whole]
  const [, path = '', fragment, property] = cut
  const part = fragment === undefined ? propertyPart(property ?? '') : fragmentPart(fragment)
  const split = { vault, path: decoded(path), part }
  return part === null ? [{ ...split, part: null }, whole] : [split, whole]
}

function fragmentPart(fragment: string): NotePart | null {
  const name = decoded(fragment)
  if (name === '') return null
  return name.startsWith('^') ? { kind: 'block', id: name.slice(1) } : { kind: 'section', heading: name }
}

function propertyPart(property: string): NotePart | null {
  const name = decoded(property)
  return name === '' ? null : { kind: 'property', name }
}

function encodePath(path: string): string {
  return encodeURI(path.toWellFormed()).replace(/[?#]/g, encodeURIComponent)
}

/** A stray `%` stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
