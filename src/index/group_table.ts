import { computeForms, type Form, formsOf } from './forms.ts'
import { growableUint32 } from './growable.ts'
import { packStrings, type StringTable, sortByCodePoint } from './string_table.ts'

export interface GroupTable {
  readonly groups: StringTable
  readonly groupMembers: Uint32Array
  readonly memberTerms: Uint32Array
  readonly memberLanguages: Uint32Array
}

/**
 * Files terms under their forms. A term that is its own folded form is left out there: whoever looks up the key finds
 * it in the dictionary.
 * @param terms in dictionary order, each with the languages of the notes it occurs in
 */
export function buildGroupTable(terms: readonly string[], languages: Uint32Array): GroupTable {
  const ids = new Map<string, number>()
  const entryGroup = growableUint32(terms.length)
  const entryTerm = growableUint32(terms.length)
  const entryLanguages = growableUint32(terms.length)
  const forms = terms.length > A_NOTE ? computeForms : formsOf
  for (const [i, term] of terms.entries()) {
    for (const form of forms(term, languages[i]!)) {
      if (isImplicit(form, term)) continue
      let id = ids.get(form.key)
      if (id === undefined) ids.set(form.key, (id = ids.size))
      entryGroup.push(id)
      entryTerm.push(i)
      entryLanguages.push(form.languages)
    }
  }
  return sortEntries(ids, entryGroup.view(), entryTerm.view(), entryLanguages.view())
}

/** More different terms than one note has: then they are not those of the last note again. */
const A_NOTE = 5000

function isImplicit(form: Form, term: string): boolean {
  return form.key === term && form.languages >>> 31 === 1
}

/** Entries arrive with ascending terms, so a counting sort by group leaves each group's terms ascending. */
function sortEntries(
  ids: Map<string, number>,
  group: Uint32Array,
  term: Uint32Array,
  languages: Uint32Array,
): GroupTable {
  const keys = sortByCodePoint([...ids.keys()])
  const rank = new Uint32Array(keys.length)
  for (const [i, key] of keys.entries()) rank[ids.get(key)!] = i
  const groupMembers = new Uint32Array(keys.length + 1)
  for (const id of group) groupMembers[rank[id]! + 1]!++
  for (let i = 0; i < keys.length; i++) groupMembers[i + 1]! += groupMembers[i]!
  const next = groupMembers.slice()
  const memberTerms = new Uint32Array(group.length)
  const memberLanguages = new Uint32Array(group.length)
  for (let i = 0; i < group.length; i++) {
    const at = next[rank[group[i]!]!]!++
    memberTerms[at] = term[i]!
    memberLanguages[at] = languages[i]!
  }
  return { groups: packStrings(keys), groupMembers, memberTerms, memberLanguages }
}
