import { describe, expect, test } from 'bun:test'
import { describe as spelled } from '../../src/search/describe.ts'
import { meaningOf } from '../../src/search/meaning.ts'

describe('what a question asks of meaning', () => {
  test.each([
    { question: ' How do I brew coffee? ', text: 'How do I brew coffee?', gate: null },
    { question: '"cold brew" or (so) Müller', text: '"cold brew" or (so) Müller', gate: null },
    { question: 'coffee -pour', text: 'coffee', gate: '-pour' },
    { question: 'coffee NOT pour', text: 'coffee', gate: '-pour' },
    { question: 'coffee -"pour over"', text: 'coffee', gate: '-"pour over"' },
    { question: '+bean roast', text: 'bean roast', gate: '+bean' },
    { question: 'bean AND roast', text: 'bean roast', gate: '+bean +roast' },
    { question: 'roast tag:#drink/hot', text: 'roast', gate: '+tag:#drink/hot' },
    { question: 'roast path:Recipes/', text: 'roast', gate: '+path:"Recipes/"' },
    { question: '绿茶 -红茶', text: '绿茶', gate: '-红茶' },
    { question: '-pour', text: '', gate: '-pour' },
    { question: 'tag:#drink', text: '', gate: '+tag:#drink' },
    { question: '', text: '', gate: null },
    { question: '?? -> …', text: '', gate: null },
    { question: '🎉', text: '🎉', gate: null },
  ])('$question', ({ question, text, gate }) => {
    const found = meaningOf(question)
    expect([found.text, found.gate && spelled(found.gate)]).toEqual([text, gate])
  })
})
