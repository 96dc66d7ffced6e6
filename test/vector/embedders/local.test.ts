import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfCommand } from '../../../src/vault/self.ts'
import { localEmbedder } from '../../../src/vector/embedders/local.ts'
import { folderOfModel, LOCAL_MODELS, localModelNamed } from '../../../src/vector/embedders/local_models.ts'

setDefaultTimeout(120_000)

const models = join(import.meta.dir, '../../../models')
const model = LOCAL_MODELS[0]!
const never = new AbortController().signal
const hasRuntime = existsSync(join(import.meta.dir, '../../../node_modules/@huggingface/transformers'))
if (!hasRuntime)
  console.warn(
    'the local model is not tried: the optional package @huggingface/transformers is not installed',
  )

const embedder = localEmbedder({ model, folder: models, command: [...selfCommand(), '__embed'] })
afterAll(() => embedder.close())

test('the model that ships is the one that its README names', () => {
  const file = readFileSync(join(models, model.name, 'onnx/model_quantized.onnx'))
  const sum = new Bun.CryptoHasher('sha256').update(file).digest('hex')
  expect(readFileSync(join(models, 'README.md'), 'utf8')).toContain(sum)
  expect(folderOfModel(model, [models])).toBe(models)
})

test.each([
  ['BAAI/bge-small-en-v1.5', 'bge-small-en-v1.5'],
  ['multilingual-e5-small', 'multilingual-e5-small'],
  ['nobody/unknown', undefined],
])('%s is %p', (name, right) => {
  expect(localModelNamed(name)?.name).toBe(right as string)
})

test.if(hasRuntime)('it finds what is meant in other words, counts tokens, and ends when told', async () => {
  const [query, cat, motor] = [
    await embedder.embedQuery('an animal that sleeps all day', never),
    ...(await embedder.embedDocuments(['The kitten naps on the sofa.', 'The engine needs oil.'], never)),
  ] as [Float32Array, Float32Array, Float32Array]
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)
  expect(query.length).toBe(model.dimensions)
  expect(dot(query, query)).toBeCloseTo(1, 3)
  expect(dot(query, cat)).toBeGreaterThan(dot(query, motor))
  expect(await embedder.countTokens(['hello world', ''])).toEqual([4, 2])
  expect([
    embedder.speaks('The cat sat on the mat.'),
    embedder.speaks('全文检索'),
    embedder.speaks('Это русский текст'),
  ]).toEqual([true, false, false])
})
