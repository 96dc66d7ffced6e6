import { VaultError } from '../errors.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import { lastParagraphLine } from './block_rewrite.ts'
import { keepFrontmatterInPlace, keepFrontmatterSound } from './guard.ts'
import { insertText } from './insert.ts'
import type { Heading, TextRange } from './note.ts'
import { parseNote } from './parse.ts'
import { patchBlock } from './patch_block.ts'
import { createHeading } from './patch_create.ts'
import { requireUntouched, violation } from './patch_guard.ts'
import { patchHeading } from './patch_heading.ts'
import { patchLines } from './patch_lines.ts'
import {
  contentOf,
  type PatchContext,
  type PatchEdit,
  type PatchRequest,
  withoutEndLines,
} from './patch_request.ts'
import { readable, removeProperty } from './properties.ts'
import { appendToProperty, prependToProperty, replaceProperty } from './property_content.ts'
import { findBlock, findHeading } from './sections.ts'

export interface PatchResult {
  readonly text: string
  /** What the caller should tell: what was left out, kept or made. */
  readonly notes: readonly string[]
  /** Where in the new text the change stands; empty for what was only taken away. */
  readonly range: TextRange
}

/**
 * Changes one part of a note: the text under a heading, a block, a property or lines. Outside of it no byte changes,
 * no heading and no block id is another; what would reach further is refused. Line ends and a byte-order mark stay.
 * `rename` changes the note alone: links to the heading or block are the caller's.
 * @throws VaultError `target_not_found`, `ambiguous`, `bad_argument`, `bad_frontmatter`, `already_exists`
 */
export function patchNote(text: string, request: PatchRequest): PatchResult {
  if (request.targetType === 'frontmatter') return patchProperty(text, request)
  const parsed = parseNote(text)
  const context: PatchContext = { text, parsed, request }
  const { edit, created } = editFor(context)
  const result = applied(text, edit)
  const after = parseNote(result)
  keepFrontmatterInPlace(text, result)
  requireUntouched(parsed, after, edit)
  if (!created) requireTarget(context, edit, after)
  const { start } = edit.range
  return { text: result, notes: edit.notes, range: { start, end: start + edit.insert.length } }
}

function applied(text: string, { range, insert }: PatchEdit): string {
  return text.slice(0, range.start) + insert + text.slice(range.end)
}

function editFor(context: PatchContext): { edit: PatchEdit; created: boolean } {
  const { text, parsed, request } = context
  if (request.targetType === 'lines') {
    const tries = patchLines(context)
    const sound = tries.find((edit) => violation(parsed, parseNote(applied(text, edit)), edit) === null)
    return { edit: sound ?? tries[0]!, created: false }
  }
  const mayCreate =
    request.createIfMissing === true && request.operation !== 'delete' && request.operation !== 'rename'
  try {
    if (request.targetType === 'block')
      return { edit: patchBlock(context, findBlock(parsed, request.target)), created: false }
    return { edit: patchHeading(context, headingFor(context)), created: false }
  } catch (error) {
    if (!mayCreate || !(error instanceof VaultError) || error.code !== 'target_not_found') throw error
  }
  return {
    edit: request.targetType === 'block' ? createBlock(context) : createHeading(context),
    created: true,
  }
}

function headingFor({ parsed, request }: PatchContext): Heading {
  const { occurrence, line } = request
  return parsed.headings[findHeading(parsed, request.target, { occurrence, line })]!
}

/** A heading or a block that was changed is still one afterwards, with its level or its id. */
function requireTarget(
  { parsed, request, text }: PatchContext,
  edit: PatchEdit,
  after: ReturnType<typeof parseNote>,
): void {
  const lost = (what: string) =>
    new VaultError('bad_argument', `${what} would no longer be what it is.`, {
      hint: 'Send plain text without marks of its own, or change the lines with target_type lines.',
    })
  const { operation, targetType, target } = request
  if (targetType === 'heading' && operation === 'rename') {
    const old = headingFor({ parsed, request, text })
    const now = after.headings[parsed.headings.indexOf(old)]
    const wanted = contentOf(request)
      .trim()
      .replace(/^#{1,6}[ \t]+/, '')
    if (
      now?.level !== old.level ||
      after.headings.length !== parsed.headings.length ||
      !now.raw.startsWith(wanted)
    )
      throw lost(`"${old.text}"`)
  }
  if (targetType !== 'block' || operation === 'delete' || edit.insert.trim() === '') return
  const old = findBlock(parsed, target)
  const id = operation === 'rename' ? contentOf(request).trim().replace(/^\^/, '') : old.id
  const now = after.blocks.filter((block) => block.id === id)
  const [block] = now
  const sameKind = block?.kind === old.kind || (operation === 'replace' && old.kind !== 'list_item')
  const inPlace = operation !== 'replace' || (block?.range.start ?? -1) >= edit.range.start
  if (now.length !== 1 || !sameKind || !inPlace) throw lost(`^${old.id}`)
}

/** At the end of the note, with the id behind it. */
function createBlock({ text, request }: PatchContext): PatchEdit {
  const id = request.target.trim().replace(/^\^/, '')
  if (!/^[A-Za-z0-9-]+$/.test(id)) {
    throw new VaultError('bad_argument', `${JSON.stringify(id)} is no block id.`, {
      hint: 'An id has letters, digits and dashes: ^my-id.',
    })
  }
  const content = withoutEndLines(contentOf(request))
  const inline = lastParagraphLine(content.split(/\r?\n/)) >= 0
  const edit = atEnd(text, inline ? `${content} ^${id}` : `${content}\n\n^${id}`)
  return {
    range: { start: edit.at, end: edit.at },
    insert: edit.insert,
    notes: [`Made the block ^${id} at the end of the note.`],
  }
}

function atEnd(text: string, content: string): { insert: string; at: number } {
  const { text: result, range } = insertText(text, content, { separator: 'blank' })
  return { insert: result.slice(range.start, range.end), at: range.start }
}

function patchProperty(text: string, request: PatchRequest): PatchResult {
  const { target, operation } = request
  const key = target.trim()
  const block = readable(text)
  if (block.yaml === null && request.createIfMissing !== true) {
    throw new VaultError('target_not_found', 'The note has no properties.', {
      hint: 'Send create_if_missing: true to make the block, or use the frontmatter tool.',
    })
  }
  const result = propertyChange(text, key, request, Object.keys(block.data ?? {}))
  if (operation !== 'delete') keepFrontmatterSound(text, result)
  return { text: result, notes: [], range: changedRange(text, result) }
}

function propertyChange(text: string, key: string, request: PatchRequest, keys: readonly string[]): string {
  switch (request.operation) {
    case 'replace':
      return replaceProperty(text, key, contentOf(request))
    case 'append':
      return appendToProperty(text, key, contentOf(request))
    case 'prepend':
      return prependToProperty(text, key, contentOf(request))
    case 'delete': {
      if (keys.includes(key)) return removeProperty(text, key)
      const near = nearest(key, keys)
      throw new VaultError('target_not_found', `There is no property "${key}".`, {
        hint: didYouMean(near).trim() || `Its properties: ${keys.join(', ')}.`,
        details: { nearest: near },
      })
    }
    default:
      throw new VaultError('bad_argument', 'A property cannot be renamed here.', {
        hint: 'Set the new key and remove the old one with the frontmatter tool.',
      })
  }
}

function changedRange(before: string, after: string): TextRange {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let tail = 0
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++
  return { start, end: after.length - tail }
}
