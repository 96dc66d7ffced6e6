import { fold } from './fold.ts'
import { FUNCTION_WORDS } from './function_words.ts'
import { LANGUAGES, type LanguageMask } from './language.ts'

const known = new Map<LanguageMask, ReadonlySet<string>>()

/** The commonest small words of some languages, as spelled and folded. */
export function commonWords(languages: LanguageMask): ReadonlySet<string> {
  let words = known.get(languages)
  if (words === undefined) {
    const lists = LANGUAGES.filter(({ bit }) => (languages & bit) !== 0).map(
      ({ code }) => FUNCTION_WORDS[code] ?? '',
    )
    const spelled = lists.flatMap((list) => list.split(' '))
    known.set(languages, (words = new Set([...spelled, ...spelled.map(fold)])))
  }
  return words
}
