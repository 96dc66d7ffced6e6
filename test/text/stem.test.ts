import { expect, test } from 'bun:test'
import { languageMask } from '../../src/text/language.ts'
import { stems } from '../../src/text/stem.ts'

const cases: [language: string, words: string, right: string][] = [
  ['en', 'deploy deployed deployment deploying', 'deploy deploy deploy deploy'],
  ['en', 'youth yearly generously skies', 'youth year generous sky'],
  ['de', 'häuser aufgaben größten', 'haus aufgab grosst'],
  ['fr', 'notes nationalité jouer', 'not national jou'],
  ['es', 'notas corriendo rápidamente', 'not corr rapid'],
  ['it', 'gatti mangiando velocemente', 'gatt mang veloc'],
  ['pt', 'notas correndo rapidamente', 'not corr rapid'],
  ['nl', 'notities lichamelijk honden', 'notities licham hond'],
  ['sv', 'anteckningar hundarna', 'anteckning hund'],
  ['fi', 'muistiinpanoissa taloissani kirjojen', 'muistiinpano talo kirj'],
  ['hu', 'jegyzeteket házakban', 'jegyzet ház'],
  ['tr', 'kitaplarımızdan evlerinde', 'kitap ev'],
  ['ru', 'заметками ещё книги', 'заметк ещ книг'],
  ['ar', 'الكتب المكتبات', 'كتب مكتب'],
  ['cs', 'poznámkami', 'poznámk'],
]
test.each(cases)('%s: %s', (language, words, right) => {
  const stem = (word: string) => stems(word, languageMask([language])).join()
  expect(words.split(' ').map(stem).join(' ')).toBe(right)
})
