import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { VaultError } from './errors.ts'
import { log } from './logger.ts'
import { selfCommand } from './vault/self.ts'
import type { VaultLanguages } from './vault/semantic.ts'
import type { VaultSemanticOptions } from './vault/vault.ts'
import type { Embedder } from './vector/embedder.ts'
import { knownLimits, readApiProfile } from './vector/embedders/api_profile.ts'
import { hashEmbedder } from './vector/embedders/hash.ts'
import {
  fingerprintOf,
  folderOfModel,
  LOCAL_MODELS,
  type LocalModel,
  localModelNamed,
} from './vector/embedders/local_models.ts'

/** A server that nobody asks for meaning is left alone for this long (ms), where nobody asked for embeddings either. */
const AUTO_START_AFTER_MS = 5000

/**
 * Search by meaning as the settings want it; null where it is off.
 * @throws VaultError `not_configured` where it is asked for and cannot be had
 */
export function semanticOptions(config: Config): VaultSemanticOptions | null {
  const { embeddings, semantic } = config
  if (embeddings.enabled === false) return null
  const common = {
    ...semantic,
    notesAtOnce: embeddings.batchSize,
    startAfterMs: embeddings.enabled === true ? 0 : AUTO_START_AFTER_MS,
  }
  if (embeddings.provider === 'hash') return { ...common, source: 'hash', open: async () => hashEmbedder() }
  if (embeddings.provider === 'api') return { ...common, source: 'api', open: apiOpener(config) }
  return localOptions(config, common)
}

/** Models that run here: the one asked for, or the one that fits the vault's languages among those at hand. */
function localOptions(
  config: Config,
  common: Omit<VaultSemanticOptions, 'source' | 'open'>,
): VaultSemanticOptions | null {
  const { enabled, model: asked, modelDownload } = config.embeddings
  const trouble = localTrouble(config)
  if (trouble !== null && enabled !== true) {
    log.info(`${trouble.message} Search by meaning is off.`)
    return null
  }
  const advice =
    asked === null && modelsAtHand(config).every(({ model }) => model.english)
      ? `"knap model pull ${MULTILINGUAL}" brings a model that speaks them, from the next start on.`
      : undefined
  return {
    ...common,
    source: 'local',
    ...(advice === undefined || modelDownload ? {} : { advice }),
    open: async (languages) => {
      if (trouble !== null && !modelDownload) throw trouble
      const wanted = asked ?? chooseModel(languages, modelDownload ? null : modelsAtHand(config))
      const found = modelsAtHand(config).find(({ model }) => model === localModelNamed(wanted))
      const { model, folder } = found ?? (await fetchModel(config, wanted))
      return await sharedEmbedder(model, folder)
    },
  }
}

const shared = new Map<string, Promise<Embedder>>()

/**
 * One child for each model, whatever number of vaults and manuals ask it: two would cost half a gigabyte each. Closed
 * by one of them, it is started again by the next question of another.
 */
function sharedEmbedder(model: LocalModel, folder: string): Promise<Embedder> {
  const key = join(folder, model.name)
  const open = async () => {
    const { localEmbedder } = await import('./vector/embedders/local.ts')
    const weights = await fingerprintOf(model, folder)
    return localEmbedder({ model, folder, weights, command: [...selfCommand(), '__embed'] })
  }
  const found = shared.get(key) ?? open()
  shared.set(key, found)
  found.catch(() => shared.delete(key))
  return found
}

async function fetchModel(config: Config, name: string): Promise<AtHand> {
  const model = localModelNamed(name) as LocalModel
  const folder = join(config.cacheDir, 'models')
  const { pullModel } = await import('./vector/model_store.ts')
  await pullModel(model, { folder, report: (line) => log.info(line) })
  return { model, folder }
}

/** Why no local model can run; null where one can. */
function localTrouble(config: Config): VaultError | null {
  const { model: asked } = config.embeddings
  if (asked !== null && localModelNamed(asked) === undefined) {
    return new VaultError('not_configured', `There is no local embedding model ${asked}.`, {
      hint: `OBSIDIAN_EMBEDDINGS_MODEL takes ${LOCAL_MODELS.map((m) => m.name).join(' or ')}.`,
    })
  }
  if (modelsAtHand(config).length === 0) {
    const name = asked ?? LOCAL_MODELS[0]?.name
    return new VaultError('not_configured', `The embedding model ${name} is not on this machine.`, {
      hint: `"knap model pull ${name}" fetches it, "knap model add FOLDER" takes it from a folder.`,
    })
  }
  return hasRuntime()
    ? null
    : new VaultError('not_configured', 'The package @huggingface/transformers is not installed.', {
        hint: 'Install Knap with its optional dependencies, or name an embedding API.',
      })
}

function hasRuntime(): boolean {
  try {
    import.meta.resolve('@huggingface/transformers')
    return true
  } catch {
    return false
  }
}

function apiOpener({ embeddings }: Config): VaultSemanticOptions['open'] {
  const { apiModel, apiBase, apiKey, apiProfile, dim, apiTimeoutSecs, batchSize, tlsVerify } = embeddings
  if (apiModel === null) {
    throw new VaultError('not_configured', 'The embedding API needs a model.', {
      hint: 'Name one in OBSIDIAN_EMBEDDING_API_MODEL.',
    })
  }
  const base = apiBase.replace(/\/+$/, '')
  const ca = certificateOf(embeddings)
  const limits =
    apiProfile === null ? knownLimits(base, apiModel) : readApiProfile(apiProfile, { base, model: apiModel })
  return async (_, signal) => {
    const { openApiEmbedder } = await import('./vector/embedders/api.ts')
    return await openApiEmbedder(
      {
        base,
        key: apiKey,
        model: apiModel,
        dimensions: dim,
        timeoutMs: apiTimeoutSecs * 1000,
        batch: Math.min(batchSize, 256),
        limits,
        ca,
        tlsVerify,
      },
      signal,
    )
  }
}

function certificateOf({ caCert }: Config['embeddings']): string | undefined {
  if (caCert === null) return undefined
  try {
    return readFileSync(caCert, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code
    throw new VaultError('not_configured', `The certificate ${caCert} cannot be read (${why}).`, {
      hint: 'OBSIDIAN_EMBEDDING_CA_CERT takes the path of a PEM file.',
    })
  }
}

interface AtHand {
  readonly model: LocalModel
  /** The folder that holds the model's folder. */
  readonly folder: string
}

/** The models on this machine, or the one that is asked for. */
export function modelsAtHand({ embeddings, cacheDir }: Config): AtHand[] {
  const { model: asked } = embeddings
  const folders = modelFolders(embeddings.modelPath, cacheDir)
  return LOCAL_MODELS.filter((model) => asked === null || model === localModelNamed(asked)).flatMap(
    (model) => {
      const folder = folderOfModel(model, folders)
      return folder === null ? [] : [{ model, folder }]
    },
  )
}

/** Where models are looked for, the first place first. */
export function modelFolders(modelPath: string | null, cacheDir: string): string[] {
  return [
    ...(modelPath === null ? [] : [modelPath]),
    join(cacheDir, 'models'),
    fileURLToPath(new URL('../models', import.meta.url)),
  ]
}

/** From this share of notes in other languages on, one model for all of them serves better than English alone. */
const MANY_FOREIGN = 0.1
/** A vault that has such a model keeps it until hardly a note needs it: changing it makes all vectors anew. */
const HARDLY_FOREIGN = 0.03
const MULTILINGUAL = 'multilingual-e5-small'

/**
 * The name of the model that fits a vault's languages.
 * @param atHand those to choose from; null: any
 */
export function chooseModel({ foreign, current }: VaultLanguages, atHand: readonly AtHand[] | null): string {
  const has = (name: string) => atHand === null || atHand.some(({ model }) => model.name === name)
  const english = LOCAL_MODELS.find((model) => model.english && has(model.name))?.name
  const least = current?.includes(MULTILINGUAL) ? HARDLY_FOREIGN : MANY_FOREIGN
  if (english === undefined || (foreign >= least && has(MULTILINGUAL))) return MULTILINGUAL
  return english
}
