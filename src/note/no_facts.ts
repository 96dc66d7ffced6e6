import type { NoteFacts } from './note.ts'

/** A note that says nothing, or of which nothing could be read. */
export const NO_FACTS: NoteFacts = {
  title: '',
  aliases: [],
  tags: [],
  frontmatter: null,
  frontmatterKind: 'absent',
  headings: [],
  links: [],
  blocks: [],
  tasks: [],
  inlineFields: [],
  words: 0,
  problems: [],
}
