import { basename } from 'node:path'
import { VaultError } from '../errors.ts'
import {
  folderOfModel,
  LOCAL_MODELS,
  type LocalModel,
  localModelNamed,
} from '../vector/embedders/local_models.ts'
import { addModel, pullModel } from '../vector/model_store.ts'

export interface ModelPlaces {
  /** Where models are looked for, the first place first. */
  readonly folders: readonly string[]
  /** Where new ones go. */
  readonly into: string
  /** Address of the hub, where another one is meant. */
  readonly hub?: string | undefined
}

/**
 * `knap model list`, `knap model pull NAME`, `knap model add FOLDER`.
 * @returns what is printed, with a line end
 * @throws VaultError `bad_argument`, `not_found`, `unavailable`
 */
export async function modelCommand(
  words: readonly string[],
  places: ModelPlaces,
  say: (line: string) => void,
): Promise<string> {
  const [action = 'list', what] = words
  if (action === 'list' && words.length <= 1) return listModels(places)
  if (words.length !== 2 || what === undefined || (action !== 'pull' && action !== 'add')) throw unclear()
  if (action === 'pull') {
    const model = knownModel(what)
    await pullModel(model, { folder: places.into, hub: places.hub, report: say })
    return `${model.name} is ready, from the next start on.\n`
  }
  const model = knownModel(basename(what))
  await addModel(model, what, places.into)
  return `${model.name} was copied to ${places.into}; it is ready, from the next start on.\n`
}

function listModels({ folders }: ModelPlaces): string {
  const rows = LOCAL_MODELS.map((model) => {
    const folder = folderOfModel(model, folders)
    const languages = model.english ? 'English' : 'about 100 languages'
    const place = folder === null ? `not here: knap model pull ${model.name}` : folder
    return `${model.name.padEnd(24)}${languages.padEnd(22)}${place}`
  })
  return `${rows.join('\n')}\n`
}

function knownModel(name: string): LocalModel {
  const model = localModelNamed(name)
  if (model !== undefined) return model
  throw new VaultError('bad_argument', `There is no model ${JSON.stringify(name)}.`, {
    hint: `Known are ${LOCAL_MODELS.map((m) => m.name).join(' and ')}; a folder is called like the model in it.`,
  })
}

function unclear(): VaultError {
  return new VaultError('bad_argument', 'What is to be done with which model?', {
    hint: 'knap model list, knap model pull NAME, knap model add FOLDER.',
  })
}
