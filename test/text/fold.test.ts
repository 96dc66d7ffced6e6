import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '../../src/text/fold.ts'

const cases: [string, string, string][] = [
  ['ASCII stays', 'hello-1', 'hello-1'],
  ['accents go', 'résumé', 'resume'],
  ['Müller', 'müller', 'muller'],
  ['sharp s', 'straße', 'strasse'],
  ['Polish and Danish strokes', 'łódź ø æ œ', 'lodz o ae oe'],
  ['Icelandic', 'þórður', 'thordur'],
  ['Turkish dotless i and dotted capital', 'ısparta i\u0307stanbul', 'isparta istanbul'],
  ['Vietnamese', 'tiếng việt đường', 'tieng viet duong'],
  ['Russian yo, but not short i', 'ёлка мой', 'елка мой'],
  ['Cyrillic stress', 'за\u0301мок', 'замок'],
  ['Ukrainian letters of their own', 'їжак ґанок', 'їжак ганок'],
  ['Greek accents and final sigma', 'ἀθῆναι λόγος', 'αθηναι λογοσ'],
  ['Hebrew points', 'שָׁלוֹם', 'שלום'],
  ['Arabic vowel signs and tatweel', 'مُحَمَّـد', 'محمد'],
  ['Arabic alef, yeh, teh marbuta', 'أإآٱ على مدرسة', 'اااا علي مدرسه'],
  ['Persian letters', 'کتابی', 'كتابي'],
  ['katakana is hiragana', 'ガギグ', 'がぎぐ'],
  ['small and voiced kana stay apart', 'きゃ か が', 'きゃ か が'],
  ['Hangul stays', '한국어', '한국어'],
  ['ideographs stay', '认证', '认证'],
  ['vowel signs of Indic scripts stay', 'हिन्दी', 'हिन्दी'],
  ['digits of every script', '٣٤ ۵۶ १२ ๙', '34 56 12 9'],
  ['skin tones go', '👍🏽', '👍'],
]
test.each(cases)('%s: %j', (_name, term, right) => expect(fold(term)).toBe(right))

test('folding twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const term = text.normalize('NFKC').toLowerCase()
      expect(fold(fold(term))).toBe(fold(term))
    }),
  )
})
