import { describe, expect, test } from 'bun:test'
import { WordList } from '../../src/vault/word_list.ts'

function listOf(words: string): WordList {
  const list = new WordList()
  for (const word of words.split(' ')) list.add(word)
  return list
}

describe('words that begin like another', () => {
  test.each([
    ['no', ['no', 'note', 'notes']],
    ['notes', ['notes']],
    ['ote', []],
    ['録', ['記録']],
    ['', ['a', 'no', 'note', 'notes', '記録']],
  ])('%j: %j', (word, right) => {
    expect(listOf('note no notes a 記録 note').beginning(word).sort()).toEqual(right)
  })
})

describe('words that are spelled nearly like another', () => {
  test.each([
    ['cat', []],
    ['note', ['nate 1', 'noet 1', 'not 1', 'notes 1']],
    ['workspace', ['wokrspace 1', 'workspaces 1', 'wrkspce 2']],
    ['Workspac', ['workspace 2']],
  ])('%j: %j', (word, right) => {
    const list = listOf('note notes not nate noet knot cat workspace workspaces wrkspce wokrspace wspace')
    expect(
      list
        .near(word)
        .map(({ word: other, typos }) => `${other} ${typos}`)
        .sort(),
    ).toEqual(right)
  })
})
