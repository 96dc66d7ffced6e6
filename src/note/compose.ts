import { VaultError } from '../errors.ts'
import { requireSoundFrontmatter } from './guard.ts'
import { setProperties } from './properties.ts'

/**
 * The text of a new note: the content as it stands, and properties merged into the block that the content brings, or
 * in a block of their own above it. Where both name a key, `frontmatter` counts.
 * @param frontmatter a JSON object; null, undefined and `{}` add nothing
 * @throws VaultError `bad_frontmatter` (the content's own block cannot be read), `bad_argument` (no object, or a value
 * that cannot be kept)
 */
export function composeNote(content: string, frontmatter?: unknown): string {
  requireSoundFrontmatter(content)
  if (frontmatter === undefined || frontmatter === null) return content
  if (typeof frontmatter !== 'object' || Array.isArray(frontmatter)) {
    throw new VaultError('bad_argument', 'frontmatter is no object.', {
      hint: 'Send an object: {"status": "draft", "tags": ["a"]}; a YAML block may stand at the top of content instead.',
    })
  }
  return setProperties(content, frontmatter as Record<string, unknown>)
}
