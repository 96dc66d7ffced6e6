import type { VaultPath } from './path.ts'

/**
 * What a note says, as plain data. Every range counts UTF-16 units of the decoded text (a byte-order mark,
 * where the file has one, is unit 0 of that text), half open; every line counts from 1.
 */

export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Something about a note that a person would want to mend; the note stays usable. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly line: number
}

/**
 * - `absent`: the note has no block (a `---` rule or prose at the top is none)
 * - `empty`: a block that holds nothing (or comments only)
 * - `mapping`: a block that parses to a YAML mapping
 * - `broken`: it opens and does not parse, or never closes
 * - `other`: it parses to something that is no mapping: such text is body, stays indexed, and no block is ever written above it
 */
export type FrontmatterKind = 'absent' | 'empty' | 'mapping' | 'broken' | 'other'

export interface Frontmatter {
  readonly kind: FrontmatterKind
  /** The block with both fences and the line end after the closing one; null where there is no closed block. */
  readonly block: TextRange | null
  /** What stands between the fences: from after the opening fence's line end to the start of the closing fence's line. */
  readonly yaml: TextRange | null
  /** Where the body begins: the end of `block` for `empty`, `mapping` and closed `broken` blocks, else after the byte-order mark. */
  readonly bodyStart: number
  /** The mapping (YAML 1.2 core, dates as the text in the file), `{}` for `empty`, else null. */
  readonly data: Record<string, unknown> | null
  readonly problems: readonly Problem[]
}

export interface Heading {
  /** 1 to 6. */
  readonly level: number
  /** As shown: inline markup dropped, trimmed, closing `#`s gone. */
  readonly text: string
  /** As written between the marks. */
  readonly raw: string
  readonly line: number
  readonly setext: boolean
  /** The heading's own line(s) without the last line's end. */
  readonly range: TextRange
  /** From the heading line's start to the next heading of this or a higher level (or the end of the note). */
  readonly section: TextRange
  /** After the heading line's line end, up to the next heading of any level: the text that is under it alone. */
  readonly body: TextRange
  /** Index of the heading this one is under, or -1. */
  readonly parent: number
  /** From 1: which one it is among headings with the same path (same texts from the root down). */
  readonly occurrence: number
}

export type LinkKind = 'wikilink' | 'embed' | 'markdown' | 'markdown_embed'

export interface Link {
  readonly kind: LinkKind
  /** As written, e.g. `[[a#H|x]]`, `![t](a.md)`. */
  readonly raw: string
  /** What it points to without fragment and display text, decoded (`%20` once, `\|` in tables); `''` for `[[#here]]`. */
  readonly target: string
  /** `H`, `H#Sub` or `^block` (without the first `#`), or null. */
  readonly fragment: string | null
  /** Alias of a wikilink, text of a Markdown link, or null. */
  readonly display: string | null
  readonly line: number
  readonly range: TextRange
  /** The written target inside `raw`'s place, fragment not included: what a rename rewrites. */
  readonly targetRange: TextRange
  /** The written fragment with its `#`, or null. */
  readonly fragmentRange: TextRange | null
  /** The property it stands in, or null for the body. */
  readonly property: string | null
}

export interface TagUse {
  /** Without `#`, as spelled here. */
  readonly tag: string
  readonly line: number
  /** The tag without its `#`. */
  readonly range: TextRange
  readonly inFrontmatter: boolean
}

export interface Block {
  /** Without `^`. */
  readonly id: string
  readonly line: number
  /** The whole block the id belongs to, its marker included. */
  readonly range: TextRange
  /** ` ^id` or the id's own line. */
  readonly idRange: TextRange
  readonly kind: 'paragraph' | 'list_item' | 'table' | 'quote' | 'callout' | 'code' | 'heading' | 'other'
}

export interface Task {
  /** The one character between the brackets. */
  readonly status: string
  /** Text after the brackets, to the line's end. */
  readonly text: string
  readonly line: number
  /** Offset of the status character. */
  readonly statusAt: number
  /** Index into `headings`, or -1. */
  readonly heading: number
  readonly tags: readonly string[]
  /** By kind (`due`, `scheduled`, `start`, `done`, `created`, `cancelled`), as `YYYY-MM-DD`. */
  readonly dates: Readonly<Record<string, string>>
}

export interface InlineField {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** A note read as the application reads it. Parsing never throws. */
export interface ParsedNote {
  /** A byte-order mark stands at the start. */
  readonly bom: boolean
  /** The line end that most lines use; LF where there is none. */
  readonly eol: '\n' | '\r\n'
  readonly frontmatter: Frontmatter
  readonly headings: readonly Heading[]
  readonly links: readonly Link[]
  readonly tags: readonly TagUse[]
  readonly blocks: readonly Block[]
  readonly tasks: readonly Task[]
  readonly inlineFields: readonly InlineField[]
  readonly problems: readonly Problem[]
}

/**
 * What the catalogue keeps of a note: small, plain JSON. Made from a {@link ParsedNote} by `factsOf`.
 * No ranges: what needs them parses the note afresh.
 */
export interface NoteFacts {
  readonly title: string
  readonly aliases: readonly string[]
  /** Each tag once (any case), first spelling, without `#`, properties first; parents of nested tags are not repeated. */
  readonly tags: readonly string[]
  readonly frontmatter: Readonly<Record<string, unknown>> | null
  readonly frontmatterKind: FrontmatterKind
  readonly headings: readonly {
    readonly level: number
    readonly text: string
    /** As written, where that differs from `text`: the application compares links with it. */
    readonly raw?: string
    readonly line: number
  }[]
  readonly links: readonly LinkFact[]
  readonly blocks: readonly { readonly id: string; readonly line: number }[]
  readonly tasks: readonly TaskFact[]
  readonly inlineFields: readonly InlineField[]
  /** Words of the body, CJK characters counted singly. */
  readonly words: number
  readonly problems: readonly Problem[]
}

export interface LinkFact {
  readonly kind: LinkKind
  readonly raw: string
  readonly target: string
  readonly fragment: string | null
  readonly display: string | null
  readonly line: number
  readonly property: string | null
}

export interface TaskFact {
  readonly status: string
  readonly text: string
  readonly line: number
  readonly heading: string | null
  readonly tags: readonly string[]
  readonly dates: Readonly<Record<string, string>>
}

/** The text of a note for the full-text index, field by field. */
export interface IndexDocument {
  readonly path: VaultPath
  readonly title: string
  readonly aliases: readonly string[]
  readonly headings: readonly string[]
  /** Each with its parents reachable by the analyser: `a/b` also matches `a`. */
  readonly tags: readonly string[]
  /** Property keys and values as words. */
  readonly frontmatter: string
  /** The raw Markdown from `bodyStart` on, unchanged, so that token offsets + `bodyStart` are offsets of the note. */
  readonly body: string
  readonly bodyStart: number
  /** `lang`/`language` of the properties where it names one, else undefined: the analyser guesses. */
  readonly language: string | undefined
}
