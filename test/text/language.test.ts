import { expect, test } from 'bun:test'
import { algorithms } from 'snowball-stemmers'
import { ENGLISH, LANGUAGES, languageMask, languageOf } from '../../src/text/language.ts'

test('every stemmer named is there, and every bit is used once', () => {
  const stemmed = LANGUAGES.filter((language) => language.stemmer !== null)
  for (const { stemmer } of stemmed) expect(algorithms()).toContain(stemmer!)
  expect(new Set(stemmed.map((language) => language.bit)).size).toBe(stemmed.length)
  expect(stemmed.every(({ bit }) => bit > 0 && (bit & (bit - 1)) === 0)).toBe(true)
  expect(new Set(LANGUAGES.map((language) => language.code)).size).toBe(LANGUAGES.length)
})

const cases: [string, string | undefined][] = [
  ['en', 'en'],
  ['pt-BR', 'pt'],
  ['de_AT', 'de'],
  [' German ', 'de'],
  ['nb', 'no'],
  ['zh-TW', 'zh'],
  ['klingon', undefined],
  ['', undefined],
]
test.each(cases)('%j means %j', (name, right) => expect(languageOf(name)?.code).toBe(right!))

test('a mask joins what has a stemmer and leaves out the rest', () => {
  expect(languageMask(['en'])).toBe(ENGLISH)
  expect(languageMask(['de', 'en'])).toBe(languageOf('de')!.bit | ENGLISH)
  expect(languageMask(['ja', 'xx'])).toBe(0)
})
