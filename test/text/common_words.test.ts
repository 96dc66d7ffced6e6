import { expect, test } from 'bun:test'
import { commonWords } from '../../src/text/common_words.ts'
import { guessLanguages } from '../../src/text/guess.ts'

const cases: { question: string; common: string[] }[] = [
  { question: 'who are the people that die', common: ['who', 'are', 'the', 'that'] },
  { question: 'wie ist die Miete für uns', common: ['wie', 'ist', 'die', 'für', 'fur'] },
  { question: '', common: [] },
]
test.each(cases)('of "$question" $common say little', ({ question, common }) => {
  const words = commonWords(guessLanguages(question))
  const asked = [...question.split(' '), 'fur'].filter((word) => words.has(word))
  expect(asked).toEqual(common)
})
