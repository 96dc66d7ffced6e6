import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localEmbedder } from '../../../src/vector/embedders/local.ts'
import { LOCAL_MODELS } from '../../../src/vector/embedders/local_models.ts'

const root = mkdtempSync(join(tmpdir(), 'knap-child-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A child without a model: each text is its length; it writes its starts down and dies of the text "die". */
const script = join(root, 'child.ts')
const starts = join(root, 'starts')
writeFileSync(
  script,
  `import { appendFileSync, existsSync } from 'node:fs'
appendFileSync(${JSON.stringify(starts)}, 'x')
if (existsSync(${JSON.stringify(join(root, 'broken'))})) process.exit(1)
process.on('message', (request) => {
  if (request.texts.includes('die')) process.exit(1)
  const vectors = new Float32Array(request.texts.length * 384).fill(0)
  request.texts.forEach((text, i) => { vectors[i * 384] = text.length })
  process.send(request.kind === 'count' ? { id: request.id, counts: request.texts.map((t) => t.length) } : { id: request.id, vectors })
})
process.on('disconnect', () => process.exit(0))
process.send({ id: 0, counts: [] })
`,
)
const never = new AbortController().signal
const count = () => readFileSync(starts, 'utf8').length

function embedder(idleMs?: number) {
  writeFileSync(starts, '')
  return localEmbedder({ model: LOCAL_MODELS[1]!, folder: root, command: [process.execPath, script], idleMs })
}

describe('the embedding child', () => {
  test('is started once for all who ask, and answers each his own', async () => {
    const model = embedder()
    const all = await Promise.all(['a', 'bb', 'ccc'].map((text) => model.countTokens([text])))
    expect([all, count()]).toEqual([[[1], [2], [3]], 1])
    await model.close()
  })

  test('ended and asked again at once, it answers: the end of the one is not the end of the other', async () => {
    const model = embedder()
    await model.countTokens(['a'])
    await model.close()
    expect(await Promise.all([model.countTokens(['bb']), model.countTokens(['ccc'])])).toEqual([[2], [3]])
    expect(count()).toBe(2)
    await model.close()
  })

  test('one that dies is said, and the next question starts another', async () => {
    const model = embedder()
    await expect(model.countTokens(['die'])).rejects.toMatchObject({ code: 'unavailable' })
    const [vector] = await model.embedDocuments(['four'], never)
    expect([vector?.[0], count()]).toEqual(['passage: four'.length, 2])
    await model.close()
  })

  test('one that does not come up is said, and tried again', async () => {
    const model = embedder()
    writeFileSync(join(root, 'broken'), '')
    await expect(model.countTokens(['a'])).rejects.toMatchObject({ code: 'unavailable' })
    rmSync(join(root, 'broken'))
    expect(await model.countTokens(['a'])).toEqual([1])
    await model.close()
  })

  test('idle, it ends', async () => {
    const model = embedder(20)
    await model.countTokens(['a'])
    await Bun.sleep(60)
    await model.countTokens(['a'])
    expect(count()).toBe(2)
    await model.close()
  })
})
