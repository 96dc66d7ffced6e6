import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { groupKeys } from '../../src/text/group.ts'
import { languageMask } from '../../src/text/language.ts'

describe('the keys of a term', () => {
  const cases: [string, string, string[]][] = [
    ['deployments', 'en', ['deployments', 'deploy']],
    ['deploy', 'en', ['deploy']],
    ['deploying', '', ['deploying']],
    ['deploying', 'ja', ['deploying']],
    ['häuser', 'de', ['hauser', 'haeuser', 'haus']],
    ['книгами', 'ru', ['книгами', 'книг']],
    ['книгами', 'en', ['книгами']],
    ['installations', 'en fr', ['installations', 'instal', 'install']],
    ['is', 'en', ['is']],
    ['i18n', 'en', ['i18n']],
    ['v2.3.1', 'en', ['v2.3.1']],
    ['c++', 'en', ['c++']],
    ['.net', 'en', ['.net']],
    ['john.doe@example.com', 'en', ['john.doe@example.com']],
    ['認証', 'en', ['認証']],
  ]
  test.each(cases)('%s (%s): %j', (term, codes, right) =>
    expect(groupKeys(term, languageMask(codes.split(' ')))).toEqual(right),
  )
})

describe('forms of one word share a key', () => {
  const pairs: [string, string, string, boolean][] = [
    ['cafe', 'café', 'en', true],
    ['cafés', 'cafe', 'en', true],
    ['resume', 'résumé', 'en', true],
    ['deploying', 'deployment', 'en', true],
    ['programming', 'program', 'en', true],
    ['tips', 'tip', 'en', true],
    ["john's", 'john', 'en', true],
    ['e-mail', 'email', 'en', true],
    ['note_id', 'noteid', 'en', true],
    ['u.s.a', 'usa', 'en', true],
    ['node.js', 'nodejs', 'en', true],
    ['1,000', '1000', 'en', true],
    ['it-644', 'it644', 'en', true],
    ['müller', 'mueller', 'de', true],
    ['strasse', 'straße', 'de', true],
    ['haus', 'häuser', 'de', true],
    ['problèmes', 'probleme', 'fr', true],
    ['canciones', 'canción', 'es', true],
    ['елка', 'ёлки', 'ru', true],
    ['москва', 'москвы', 'ru', true],
    ["об'єкт", 'обєкт', 'uk', true],
    ['المدرسة', 'مدرسة', 'ar', true],
    ['λόγος', 'λογοσ', 'el', true],
    ['ガス', 'がす', 'ja', true],
    ['ø', 'o', 'da', true],
    ['3-1', '31', 'en', false],
    ['c', 'c++', 'en', false],
    ['c++', 'c#', 'en', false],
    ['1.0.21', '1021', 'en', false],
    ['か', 'が', 'ja', false],
    ['deploying', 'deployment', 'ja', false],
  ]
  test.each(pairs)('%s and %s (%s): %j', (a, b, code, right) => {
    const mask = languageMask([code])
    const keys = new Set(groupKeys(a, mask))
    expect(groupKeys(b, mask).some((key) => keys.has(key))).toBe(right)
  })
})

test('any term in all languages at once has keys, none empty, none twice', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 64 }), (term) => {
      const keys = groupKeys(term, 0x7fffff)
      expect(keys.length).toBeGreaterThan(0)
      expect(new Set(keys).size).toBe(keys.length)
      expect(keys.slice(1)).not.toContain('')
    }),
    { numRuns: 300 },
  )
})
