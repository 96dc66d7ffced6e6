import { expect, test } from 'bun:test'
import { guessLanguages } from '../../src/text/guess.ts'
import { languageMask } from '../../src/text/language.ts'

const cases: [string, string][] = [
  ['', 'en'],
  ['Kubernetes', 'en'],
  ['1234 -- ()', 'en'],
  ['How does the plugin find the notes that link to it?', 'en'],
  ['Wie finde ich die Notizen, die auf diese verweisen?', 'de'],
  ['Comment trouver les notes qui ont un lien vers celle-ci ?', 'fr'],
  ['Este plugin encuentra las notas que tienen un enlace con la nota.', 'es'],
  ['Il programma trova le note che sono collegate a questa nota.', 'it'],
  ['O programa encontra as notas que não têm uma ligação com esta.', 'pt'],
  ['De notities die naar deze notitie verwijzen, worden niet gevonden.', 'nl'],
  ['Anteckningar som länkar till den här anteckningen hittas inte.', 'sv'],
  ['Tämä on muistiinpano, joka ei ole vielä valmis, mutta se on hyvä.', 'fi'],
  ['Ez egy jegyzet, és nem lehet tudni, hogy mikor lesz kész.', 'hu'],
  ['Bu not için bir bağlantı yok, ama daha sonra olacak.', 'tr'],
  ['Aceasta este o notă și nu are legături către cele din dosar.', 'ro'],
  ['Tato poznámka je v adresáři, který není nebo ještě nebyl otevřen, ale bude.', 'cs'],
  ['Заметки, которые ссылаются на эту заметку, не найдены.', 'ru en'],
  ['Нотатки, які посилаються на цю нотатку, не знайдено або їх немає.', 'en'],
  ['الملاحظات التي تشير إلى هذه الملاحظة في المجلد', 'ar en'],
  ['یادداشت‌هایی که به این یادداشت پیوند دارند در پوشه است', 'en'],
  ['Notatki, które nie są w tym folderze, można znaleźć przez wyszukiwanie.', ''],
  ['这个插件用 Obsidian API 来查找笔记', 'en'],
  ['このプラグインはノートを見つけます', 'en'],
]
test.each(cases)('%j is %j', (text, right) =>
  expect(guessLanguages(text)).toBe(languageMask(right.split(' '))),
)

test('a note in two languages has both', () => {
  const german = 'Das ist eine Notiz, die nicht auf Englisch ist, und sie hat einen zweiten Teil. '
  const english = 'This is the second part of the note, and it is not in German, as you can see. '
  expect(guessLanguages(german + english)).toBe(languageMask(['de', 'en']))
})

test('a long text costs no more than its samples', () => {
  const text = 'wie die und der '.repeat(500_000)
  const before = performance.now()
  for (let i = 0; i < 20; i++) guessLanguages(text)
  expect(performance.now() - before).toBeLessThan(500)
})
