import { computeForms, type Form, formsOf } from '../index/forms.ts'
import { type NearTerm, nearTerms } from '../index/fuzzy.ts'
import { FOLD_BIT, type Segment } from '../index/segment.ts'
import { findString, lowerBound, prefixEnd, stringAt, toUtf8 } from '../index/string_table.ts'
import type { IndexView } from '../index/text_index.ts'
import type { Member, Members } from './postings.ts'
import type { Weights } from './weights.ts'

/** The very term and nothing else. */
export function exactMembers(view: IndexView, term: string): Members {
  const wanted = toUtf8(term)
  return view.segments.map(({ segment }) => {
    const at = findString(segment.terms, wanted)
    return at < 0 ? [] : [{ term: at, weight: 1, languages: FOLD_BIT }]
  })
}

/**
 * A word in all its forms: as typed, with other accents, and what has the same stem in the language of the note at
 * hand. That last condition is kept note by note, so that an answer never depends on how notes are spread over segments.
 */
export function wordMembers(view: IndexView, term: string, weights: Weights): Members {
  const wanted = toUtf8(term)
  const forms = formsOf(term, view.languages)
  const keys = forms.map((form) => ({ ...form, bytes: toUtf8(form.key), plain: isPlain(form.key) }))
  return view.segments.map(({ segment }) => {
    const found = new Map<number, number>()
    for (const key of keys) {
      const same = key.plain ? findString(segment.terms, key.bytes) : -1
      if (same >= 0) note(found, same, key.languages & FOLD_BIT ? FOLD_BIT : key.languages)
      addGroup(found, segment, key, key.bytes)
    }
    const exact = findString(segment.terms, wanted)
    if (exact >= 0) found.delete(exact)
    const members = [...found].map(
      ([at, languages]): Member => ({
        term: at,
        languages,
        weight: languages & FOLD_BIT ? weights.folded : weights.stemmed,
      }),
    )
    if (exact >= 0) members.push({ term: exact, languages: FOLD_BIT, weight: 1 })
    return members.sort((a, b) => a.term - b.term)
  })
}

/** Every word that begins so, accents aside. */
export function prefixMembers(view: IndexView, prefix: string, weights: Weights): Members {
  const bytes = toUtf8(prefix)
  const folded = toUtf8(formsOf(prefix, 0)[0]!.key)
  return view.segments.map(({ segment }) => {
    const found = new Set<number>()
    for (const start of [bytes, folded]) {
      const end = prefixEnd(segment.terms, start)
      for (let at = lowerBound(segment.terms, start); at < end; at++) found.add(at)
    }
    const end = prefixEnd(segment.groups, folded)
    for (let group = lowerBound(segment.groups, folded); group < end; group++)
      for (let i = segment.groupMembers[group]!; i < segment.groupMembers[group + 1]!; i++)
        if (segment.memberLanguages[i]! & FOLD_BIT) found.add(segment.memberTerms[i]!)
    const exact = findString(segment.terms, bytes)
    return [...found]
      .sort((a, b) => a - b)
      .map((term) => ({ term, languages: FOLD_BIT, weight: term === exact ? 1 : weights.prefixed }))
  })
}

/** Words one or two slips away, apart from those that are forms of the word anyway. */
export function nearMembers(view: IndexView, term: string, known: Members, weights: Weights): Members {
  return view.segments.map(({ segment }, s) => {
    const taken = new Set(known[s]!.map((member) => member.term))
    return nearTerms(segment.terms, term)
      .filter((near) => !taken.has(near.term))
      .map((near) => ({ term: near.term, languages: FOLD_BIT, weight: nearWeight(near, weights) }))
  })
}

/** The surface terms behind some members, each with the languages in which it counts. */
export function memberTerms(view: IndexView, members: Members): Map<string, number> {
  const terms = new Map<string, number>()
  for (const [s, { segment }] of view.segments.entries())
    for (const { term, languages } of members[s]!) note(terms, stringAt(segment.terms, term), languages)
  return terms
}

function nearWeight({ distance }: NearTerm, { near }: Weights): number {
  return distance === 1 ? near[0] : distance === 2 ? near[1] : 1
}

function note<K>(found: Map<K, number>, key: K, languages: number): void {
  found.set(key, ((found.get(key) ?? 0) | languages) >>> 0)
}

/** Is a term of this spelling filed under itself without an entry? */
function isPlain(key: string): boolean {
  return computeForms(key, 0)[0]!.key === key
}

function addGroup(found: Map<number, number>, segment: Segment, form: Form, key: Uint8Array): void {
  const group = findString(segment.groups, key)
  if (group < 0) return
  for (let i = segment.groupMembers[group]!; i < segment.groupMembers[group + 1]!; i++) {
    const shared = (segment.memberLanguages[i]! & form.languages) >>> 0
    const byFold = segment.memberLanguages[i]! & FOLD_BIT
    const languages = form.languages & FOLD_BIT && byFold ? FOLD_BIT : shared
    if (languages !== 0) note(found, segment.memberTerms[i]!, languages)
  }
}
