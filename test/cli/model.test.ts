import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelCommand } from '../../src/cli/model.ts'

const root = mkdtempSync(join(tmpdir(), 'knap-cli-model-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const into = join(root, 'models')
const run = (...words: string[]) => modelCommand(words, { folders: [into], into }, () => {})

/** A folder with the files of a model, as its name has it. */
function modelFolder(name: string): string {
  const folder = join(root, name)
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  for (const file of ['onnx/model_quantized.onnx', 'tokenizer.json', 'config.json'])
    writeFileSync(join(folder, file), file)
  return folder
}

describe('knap model', () => {
  test('a model that is not here is listed with the command that brings it; an added one with its folder', async () => {
    expect(await run('list')).toContain('not here: knap model pull multilingual-e5-small')
    expect(await run('add', modelFolder('multilingual-e5-small'))).toContain('from the next start on')
    const lines = (await run()).split('\n')
    expect(lines.find((line) => line.startsWith('multilingual-e5-small'))).toEndWith(into)
    expect(lines.find((line) => line.startsWith('bge-small-en-v1.5'))).toContain('not here')
  })

  test.each([
    [['pull', 'gpt-9'], 'bge-small-en-v1.5 and multilingual-e5-small'],
    [['add', '/nowhere/other-model'], 'bge-small-en-v1.5 and multilingual-e5-small'],
    [['pull'], 'knap model pull NAME'],
    [['burn', 'x'], 'knap model list'],
  ])('%p is refused and what is right is said', async (words, hint) => {
    const error = await run(...words).catch((e) => e)
    expect([error.code, error.hint.includes(hint)]).toEqual(['bad_argument', true])
  })
})
