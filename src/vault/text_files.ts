import { VaultError } from '../errors.ts'
import { extensionOf, type VaultPath } from '../note/path.ts'
import { yamlLibrary } from '../note/yaml_library.ts'

/**
 * Text files that the application reads back as data must stay readable: canvas and JSON files as JSON, bases as YAML.
 * @returns the text @throws VaultError `bad_argument` with the parser's words
 */
export function requireSoundText(path: VaultPath, text: string): string {
  const extension = extensionOf(path)
  const fault =
    extension === 'canvas' || extension === 'json'
      ? jsonFault(text)
      : extension === 'base'
        ? yamlFault(text)
        : null
  if (fault === null) return text
  throw new VaultError(
    'bad_argument',
    `"${path}" would no longer be valid ${extension === 'base' ? 'YAML' : 'JSON'}: ${fault}`,
    {
      hint: 'Send the whole file as valid text; an empty file is allowed.',
    },
  )
}

function jsonFault(text: string): string | null {
  const body = text.replace(/^\ufeff/, '')
  if (body.trim() === '') return null
  try {
    JSON.parse(body)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

function yamlFault(text: string): string | null {
  return yamlLibrary().parseDocument(text).errors[0]?.message.split('\n')[0] ?? null
}
