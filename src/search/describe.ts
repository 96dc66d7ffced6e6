import { ALL_FIELDS, type FieldMask, fieldNames } from '../index/fields.ts'
import type { Clause, Phrase, PhraseElement, Query, QueryNode } from './query_tree.ts'

/** What an answer says where there was nothing to look for: `??` is no question, also not to a model. */
export const NO_WORD = 'The query holds no word to look for.'

/** A question as it was understood, in its own syntax: `+` before what must be there, `-` before what must not. */
export function describe(query: Query): string {
  if (!query.hasWords) return 'nothing: there is no word in it'
  const text = describeClause(query.root)
  return query.cut ? `${text} … (what goes beyond was left out)` : text
}

function describeClause({ must, should, not }: Clause): string {
  return [
    ...must.map((node) => `+${describeNode(node)}`),
    ...should.map(describeNode),
    ...not.map((node) => `-${describeNode(node)}`),
  ].join(' ')
}

function describeNode(node: QueryNode): string {
  switch (node.kind) {
    case 'clause':
      return `(${describeClause(node)})`
    case 'word':
      return inFields(node.fields, node.term + (node.prefix ? '*' : ''))
    case 'phrase':
      return inFields(node.fields, describePhrase(node))
    case 'compound':
      return node.whole === null
        ? inFields(node.fields, `"${spelled(node.parts)}"`)
        : describeNode(node.whole)
    case 'run':
      return inFields(node.fields, node.characters.join(''))
    case 'tag':
      return `tag:#${node.tag}`
    case 'path':
      return `path:"${node.path}"`
    case 'property':
      return `[${node.property}:${node.value}]`
  }
}

function describePhrase({ elements, slop }: Phrase): string {
  return `"${spelled(elements)}"${slop > 0 ? `~${slop}` : ''}`
}

function spelled(elements: readonly PhraseElement[]): string {
  return elements.map(({ term, prefix }) => term + (prefix ? '*' : '')).join(' ')
}

function inFields(fields: FieldMask, text: string): string {
  return fields === ALL_FIELDS ? text : `${fieldNames(fields).join('+') || 'nowhere'}:${text}`
}
