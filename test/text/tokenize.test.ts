import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { surfaceForm } from '../../src/text/normal.ts'
import { tokenize } from '../../src/text/tokenize.ts'

/** `term@position`, separated by blanks, in the order given. */
function tokens(text: string): string {
  const found: string[] = []
  tokenize(text, (term, _start, _end, position) => found.push(`${term}@${position}`))
  return found.join(' ')
}

describe('plain words', () => {
  const cases: [string, string][] = [
    ['The quick Fox', 'the@0 quick@1 fox@2'],
    ['CI a DB', 'ci@0 a@1 db@2'],
    ['Café MÜLLER naïve', 'café@0 müller@1 naïve@2'],
    ['Cafe\u0301', 'café@0'],
    ['МОСКВА Ёлка', 'москва@0 ёлка@1'],
    ['ＡＰＩ　ｈｅｌｌｏ', 'api@0 hello@1'],
    ['ﬁne Donau\u00addampfer', 'fine@0 donaudampfer@1'],
    ['“quoted” (words) — done…', 'quoted@0 words@1 done@2'],
    ['**bold** _italic_ `code` [[Note#Head|x]]', 'bold@0 italic@1 code@2 note@3 head@4 x@5'],
    ['#tag lang/rust @user $HOME 50%', 'tag@0 lang@1 rust@2 user@3 home@4 50@5'],
    ['नमस्ते दुनिया', 'नमस्ते@0 दुनिया@1'],
    ['مرحبا بالعالم', 'مرحبا@0 بالعالم@1'],
    ['ΟΔΟΣ Ἀθῆναι', 'οδος@0 ἀθῆναι@1'],
    ['', ''],
    ['- ... >>> ( "', ''],
  ]
  test.each(cases)('%j gives %j', (text, right) => expect(tokens(text)).toBe(right))
})

describe('compounds are given whole and in parts', () => {
  const cases: [string, string][] = [
    ['WorkspaceLeaf', 'workspaceleaf@0 workspace@0 leaf@0'],
    ['HTTPServer', 'httpserver@0 http@0 server@0'],
    ['utf8Decode', 'utf8decode@0 utf8@0 decode@0'],
    ['iPhone GitHub', 'iphone@0 i@0 phone@0 github@1 git@1 hub@1'],
    ['JSON PDFs IDs', 'json@0 pdfs@1 ids@2'],
    ['snake_case', 'snake_case@0 snake@0 case@1'],
    ['kebab-case', 'kebab-case@0 kebab@0 case@1'],
    ['agentic‑os', 'agentic-os@0 agentic@0 os@1'],
    ['v2.3.1', 'v2.3.1@0 2.3.1@0 2@0 v2@0 3@1 1@2'],
    [
      'V10.2-rc v.2 vx.1',
      'v10.2-rc@0 10.2-rc@0 10@0 v10.2@0 v10@0 2-rc@1 2@1 rc@2 v.2@3 v@3 2@4 vx.1@5 vx@5 1@6',
    ],
    ['1.0.21', '1.0.21@0 1@0 0@1 21@2'],
    ['38.101', '38.101@0 38@0 101@1'],
    ['1.0.21-beta', '1.0.21-beta@0 1.0.21@0 1@0 0@1 21-beta@2 21@2 beta@3'],
    ['2026-01-05', '2026-01-05@0 2026@0 01@1 05@2'],
    ['1,000,000 1,2', '1,000,000@0 1@0 000@1 000@2 1@3 2@4'],
    ['grammar::fa', 'grammar::fa@0 grammar@0 fa@1'],
    ['my_mod::my_fn', 'my_mod::my_fn@0 my_mod@0 my@0 mod@1 my_fn@2 my@2 fn@3'],
    ['john.doe@example.com', 'john.doe@example.com@0 john.doe@0 john@0 doe@1 example.com@2 example@2 com@3'],
    ['https://docs.x.org/a-b?q=1', 'https@0 docs.x.org@1 docs@1 x@2 org@3 a-b@4 a@4 b@5 q@6 1@7'],
    ['C++ c++17 C# F#', 'c++@0 c@0 c++@1 c@1 17@2 c#@3 c@3 f#@4 f@4'],
    ['.NET .gitignore ASP.NET', '.net@0 net@0 .gitignore@1 gitignore@1 asp.net@2 asp@2 net@3'],
    ['UN 3480 UN3480', 'un@0 3480@1 un3480@2 un@2 3480@2'],
    ['Art. 102', 'art@0 102@1'],
    ['IT-644', 'it-644@0 it@0 644@1'],
    ['i18n 18n h2o mp3', 'i18n@0 18n@1 h2o@2 mp3@3 mp@3 3@3'],
    ['U.S.A. e.g. this', 'u.s.a@0 e.g@1 this@2'],
    ["a'b", "a'b@0 a@0 b@1"],
    ["don't John’s we'll", "don't@0 john's@1 john@1 we'll@2 we@2"],
    ["l'été d’une", "l'été@0 l@0 été@1 d'une@2 d@2 une@3"],
    ['об’єкт', "об'єкт@0 об@0 єкт@1"],
    ['col·legi', 'col·legi@0 col@0 legi@1'],
    ['צה״ל צה"ל', 'צה״ל@0 צה@0 ל@1 צה"ל@2 צה@2 ל@3'],
    ['کتاب\u200cها', 'کتابها@0 کتاب@0 ها@1'],
    ['and/or foo--bar a…b', 'and@0 or@1 foo@2 bar@3 a@4 b@5'],
  ]
  test.each(cases)('%j gives %j', (text, right) => expect(tokens(text)).toBe(right))
})

describe('scripts without blanks', () => {
  const cases: [string, string][] = [
    ['权威事实', '权@0 权威@0 威@1 威事@1 事@2 事实@2 实@3'],
    ['使用JWT令牌', '使@0 使用@0 用@1 jwt@2 令@3 令牌@3 牌@4'],
    ['我hello你好', '我@0 hello@1 你@2 你好@2 好@3'],
    ['记忆 系统', '记@0 记忆@0 忆@1 系@2 系统@2 统@3'],
    ['食べる', '食@0 食べ@0 べ@1 べる@1 る@2'],
    ['データ、ｶﾞｽ', 'デ@0 デー@0 ー@1 ータ@1 タ@2 ガ@3 ガス@3 ス@4'],
    ['か\u3099く', 'が@0 がく@0 く@1'],
    ['한국어 앱', '한@0 한국@0 국@1 국어@1 어@2 앱@3'],
    ['한국'.normalize('NFD'), '한@0 한국@0 국@1'],
    ['𠮷野', '𠮷@0 𠮷野@0 野@1'],
    ['ภาษาไทย', 'ภาษา@0 ไทย@1'],
    ['ພາສາລາວ', 'ພາສາ@0 ລາວ@1'],
  ]
  test.each(cases)('%j gives %j', (text, right) => expect(tokens(text)).toBe(right))
})

describe('emoji are tokens', () => {
  const cases: [string, string][] = [
    ['done ✅ 🚀', 'done@0 ✅@1 🚀@2'],
    ['❤️ 👍🏽 🇩🇪🇫🇷', '❤@0 👍🏽@1 🇩🇪@2 🇫🇷@3'],
    ['x👨‍👩‍👧y', 'x@0 👨👩👧@1 y@2'],
  ]
  test.each(cases)('%j gives %j', (text, right) => expect(tokens(text)).toBe(right))
})

describe('what holds no words is left out, and what stands around it is kept', () => {
  const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4/8w38GIAXDIBKE0DHxgljNBAAO'
  const slug = 'a-very-long-slug/of-many-words/in-a-path/that-is-longer/than-any-word'
  const cases: [string, string, string][] = [
    [
      'a data URI',
      `see ![x](data:image/png;base64,${base64}/9TXL0Y4OHwAAAABJRU5ErkJggg==) end`,
      'see@0 x@1 end@2',
    ],
    ['a data URI without base64', 'a (data:image/svg+xml,%3Csvg%20x%3E) b', 'a@0 b@1'],
    ['base64', `key ${base64}+${base64}/x== end`, 'key@0 end@2'],
    ['a long run', `a ${'x'.repeat(65)} b`, 'a@0 b@2'],
    ['a drawing', `top\n\`\`\`compressed-json\n${base64}\n\n${base64}\n\`\`\`\nend`, 'top@0 end@1'],
    ['an open drawing', `top\n\`\`\`compressed-json\n${base64}`, 'top@0'],
    ['a hash of 64', 'ab12'.repeat(16), `${'ab12'.repeat(16)}@0`],
  ]
  test.each(cases)('%s', (_name, text, right) => expect(tokens(text)).toBe(right))
  test('a long path keeps its words', () => {
    for (const word of ['slug', 'many', 'longer', 'that-is-longer'])
      expect(tokens(slug)).toMatch(new RegExp(`(^| )${word}@`))
  })
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(...'aBc9.-_\'@:+#,/ \u200c\u0301\ufe0f👍日本ガ한ไทย"ｶﾞ\ud800É½'),
    maxLength: 200,
  }),
)

describe('on any text', () => {
  test('offsets lie inside, positions never go back, and a term is the surface form of its range', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let last = 0
        const length = tokenize(text, (term, start, end, position) => {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(position).toBeGreaterThanOrEqual(last)
          expect(term).toBe(surfaceForm(text.slice(start, end)))
          expect(term.length).toBeGreaterThan(0)
          expect(term.length).toBeLessThanOrEqual(64)
          last = position
        })
        expect(length).toBeGreaterThanOrEqual(last)
      }),
      { numRuns: 1000 },
    )
  })

  test('a token alone gives its own term again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('WorkspaceLeaf', 'v2.3.1', "l'été", 'C++', '.NET', 'UN3480', '日本', '👍🏽'),
        (word) => {
          const terms: string[] = []
          tokenize(`x ${word} y`, (term) => terms.push(term))
          tokenize(word, (term) => expect(terms).toContain(term))
        },
      ),
    )
  })

  const hostile: [string, string][] = [
    ['parts', 'a.'],
    ['path', 'a/'],
    ['equal signs', 'a='],
    ['marks', 'e\u0301\u0301'],
    ['joiners', '👩\u200d'],
    ['colons', 'a::b'],
    ['data', 'data:'],
    ['fences', '```compressed-json'],
    ['commas', '1,000,'],
    ['letters', 'aB1'],
    ['Thai', 'ก'],
    ['Han', '日'],
    ['surrogates', '\ud83d'],
    ['quotes', 'א"'],
    ['addresses', 'a@b.'],
  ]
  test.each(hostile)('200,000 units of %s take under a second', (_name, unit) => {
    const text = unit.repeat(Math.ceil(200_000 / unit.length))
    const before = performance.now()
    tokenize(text, () => {})
    expect(performance.now() - before).toBeLessThan(1000)
  })
})
