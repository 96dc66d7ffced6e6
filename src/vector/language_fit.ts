import { guessLanguages } from '../text/guess.ts'
import { ENGLISH } from '../text/language.ts'

/** UTF-16 units that are looked at. */
const SAMPLE = 4000

/**
 * Is a text such as an English model understands it: mostly Latin letters, and by its function words English or too
 * short to say?
 */
export function readsAsEnglish(text: string): boolean {
  const sample = text.slice(0, SAMPLE)
  let letters = 0
  let latin = 0
  for (const letter of sample.match(/\p{L}/gu) ?? []) {
    letters++
    if (letter < '\u0250') latin++
  }
  if (letters === 0) return true
  return latin / letters > 0.7 && (guessLanguages(sample) & ENGLISH) !== 0
}
