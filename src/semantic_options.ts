import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { VaultError } from './errors.ts'
import { log } from './logger.ts'
import { selfCommand } from './vault/self.ts'
import type { VaultSemanticOptions } from './vault/vault.ts'
import { hashEmbedder } from './vector/embedders/hash.ts'
import {
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
  const common = { ...semantic, startAfterMs: embeddings.enabled === true ? 0 : AUTO_START_AFTER_MS }
  if (embeddings.provider === 'hash') return { ...common, source: 'hash', open: async () => hashEmbedder() }
  if (embeddings.provider === 'api') return { ...common, source: 'api', open: apiOpener(config) }
  const found = localModel(config)
  if (found === null) {
    const wanted = embeddings.model ?? LOCAL_MODELS[0]?.name
    const says = `The embedding model ${wanted} is not on this machine.`
    if (embeddings.enabled === true) {
      throw new VaultError('not_configured', says, {
        hint: 'Put its folder where OBSIDIAN_MODEL_PATH points, or start with OBSIDIAN_EMBEDDINGS=false.',
      })
    }
    log.info(`${says} Search by meaning is off.`)
    return null
  }
  const { model, folder } = found
  return {
    ...common,
    source: 'local',
    open: async () => {
      const { localEmbedder } = await import('./vector/embedders/local.ts')
      return localEmbedder({ model, folder, command: [...selfCommand(), '__embed'] })
    },
  }
}

function apiOpener({ embeddings }: Config): VaultSemanticOptions['open'] {
  const { apiModel, apiBase, apiKey, dim, apiTimeoutSecs, batchSize, caCert, tlsVerify } = embeddings
  if (apiModel === null) {
    throw new VaultError('not_configured', 'The embedding API needs a model.', {
      hint: 'Name one in OBSIDIAN_EMBEDDING_API_MODEL.',
    })
  }
  const ca = caCert === null ? undefined : readFileSync(caCert, 'utf8')
  return async (signal) => {
    const { openApiEmbedder } = await import('./vector/embedders/api.ts')
    return await openApiEmbedder(
      {
        base: apiBase.replace(/\/+$/, ''),
        key: apiKey,
        model: apiModel,
        dimensions: dim,
        timeoutMs: apiTimeoutSecs * 1000,
        batch: Math.min(batchSize, 256),
        ca,
        tlsVerify,
      },
      signal,
    )
  }
}

/** The model that is asked for, or the first that is at hand, with the folder that holds it. */
function localModel(config: Config): { model: LocalModel; folder: string } | null {
  const { model: asked, modelPath } = config.embeddings
  const folders = [
    ...(modelPath === null ? [] : [modelPath]),
    join(config.cacheDir, 'models'),
    fileURLToPath(new URL('../models', import.meta.url)),
  ]
  const named = asked === null ? undefined : localModelNamed(asked)
  const candidates = asked === null ? LOCAL_MODELS : named === undefined ? [] : [named]
  for (const model of candidates) {
    const folder = folderOfModel(model, folders)
    if (folder !== null) return { model, folder }
  }
  return null
}
