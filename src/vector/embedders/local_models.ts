import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'

/** What is known of a model that runs on this machine. */
export interface LocalModel {
  /** The name of its folder. */
  readonly name: string
  /** What it is called on the hub. */
  readonly hubName: string
  readonly dimensions: number
  readonly maxTokens: number
  readonly pooling: 'cls' | 'mean'
  readonly queryPrefix: string
  readonly passagePrefix: string
  readonly english: boolean
}

/** The models whose pooling and prefixes are known, as their cards ask for them. */
export const LOCAL_MODELS: readonly LocalModel[] = [
  {
    name: 'bge-small-en-v1.5',
    hubName: 'Xenova/bge-small-en-v1.5',
    dimensions: 384,
    maxTokens: 512,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
    passagePrefix: '',
    english: true,
  },
  {
    name: 'multilingual-e5-small',
    hubName: 'Xenova/multilingual-e5-small',
    dimensions: 384,
    maxTokens: 512,
    pooling: 'mean',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    english: false,
  },
]

/** A model by the name its users know: with or without the name of who made it (`BAAI/bge-small-en-v1.5`). */
export function localModelNamed(name: string): LocalModel | undefined {
  const own = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  return LOCAL_MODELS.find((model) => model.name === own)
}

/** The folder that holds the model's folder, the first of those given; null where none does. */
export function folderOfModel(model: LocalModel, folders: readonly string[]): string | null {
  return folders.find((folder) => existsSync(weightsOf(model, folder))) ?? null
}

/** The first 12 hex digits of the SHA-256 of a model's weights. */
export async function fingerprintOf(model: LocalModel, folder: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const part of createReadStream(weightsOf(model, folder))) hash.update(part as Uint8Array)
  return hash.digest('hex').slice(0, 12)
}

function weightsOf({ name }: LocalModel, folder: string): string {
  return join(folder, name, 'onnx', 'model_quantized.onnx')
}
