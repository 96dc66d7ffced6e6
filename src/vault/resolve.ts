import { baseName, extensionOf, folderOf, joinPath, pathKey, type VaultPath } from '../note/path.ts'
import { readTarget } from './link_target.ts'
import type { NameIndex } from './names.ts'

/**
 * By which rule a link found its file.
 * - `self`: the link names no file and means its own note
 * - `fixed`: `/a`, `./a` or `../a`, which mean one place only
 * - `exact`: the target is the file's path in the vault
 * - `relative`: the target, counted from the source's folder, is the file's path (for a bare name: the same folder)
 * - `shortest`: a bare name; of the files that have it, the one with the shortest path
 * - `suffix`: the end of a path; of the files that end in it, the one with the shortest path
 */
export type ResolvedBy = 'self' | 'fixed' | 'exact' | 'relative' | 'shortest' | 'suffix'

export interface Resolution {
  /** As spelled on disk; null where the link leads nowhere. */
  readonly path: VaultPath | null
  readonly by: ResolvedBy | null
  /**
   * Other files that the target may have been meant for, shortest path first: those that share a bare name, and for a
   * path that is no exact one those that end in it.
   */
  readonly candidates: readonly VaultPath[]
}

/**
 * Which file a link means, as the application decides: an exact vault path, then the path counted from the source's
 * folder, then the file with the shortest path among those that end in the target. `.md` may be left out for notes;
 * case, Unicode form and kinds of blank are ignored, and of names that differ in these alone the one spelled as in the
 * link is meant.
 * @param target decoded, without fragment; `''` is the source itself
 */
export function resolveLink(names: NameIndex, target: string, source: VaultPath): Resolution {
  const meant = readTarget(target, source)
  if (meant.form === 'self') return { path: source, by: 'self', candidates: [] }
  if (meant.form === 'nowhere') return NOWHERE
  const spellings = spellingsOf(meant.path)
  const exact = byPath(names, spellings)
  if (meant.form === 'fixed') return exact === null ? NOWHERE : { path: exact, by: 'fixed', candidates: [] }
  const bare = !meant.path.includes('/')
  if (exact !== null && !bare) return { path: exact, by: 'exact', candidates: [] }
  const fitting = spellings.flatMap((spelling) => endingIn(names, spelling))
  if (exact !== null)
    return { path: exact, by: 'exact', candidates: fitting.filter((other) => other !== exact) }
  const beside = byPath(
    names,
    spellings.map((spelling) => joinPath(folderOf(source), spelling)),
  )
  const path = beside ?? asSpelled(names, fitting[0], spellings)
  if (path === null) return NOWHERE
  const by = beside !== null ? 'relative' : bare ? 'shortest' : 'suffix'
  return { path, by, candidates: fitting.filter((other) => other !== path) }
}

/** A file that is found by its path alone, as a card of a canvas names it. */
export function resolvePath(names: NameIndex, path: string): Resolution {
  const found = byPath(names, [path])
  return found === null ? NOWHERE : { path: found, by: 'fixed', candidates: [] }
}

/** Extensions of the files that the application opens beside notes: a target that ends in one never means a note. */
export function isAttachmentName(name: string): boolean {
  return ATTACHMENTS.has(extensionOf(name))
}

const NOWHERE: Resolution = { path: null, by: null, candidates: [] }

const ATTACHMENTS: ReadonlySet<string> = new Set(
  'canvas base avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg opus wav 3gp mkv mov mp4 ogv webm pdf'.split(
    ' ',
  ),
)

/** The file names that a target may stand for, the one as written first. */
function spellingsOf(path: VaultPath): string[] {
  return isAttachmentName(path) ? [path] : [path, `${path}.md`]
}

function byPath(names: NameIndex, spellings: readonly string[]): VaultPath | null {
  for (const spelling of spellings) {
    if (names.has(spelling)) return spelling
    const twins = names.filesAt(spelling)
    if (twins.length > 0) return closest(twins, spelling)
  }
  return null
}

/** Files that end in `spelling`, whole segments compared; shortest path first. */
function endingIn(names: NameIndex, spelling: string): readonly VaultPath[] {
  const named = names.filesNamed(baseName(spelling))
  if (named.length === 0 || !spelling.includes('/')) return named
  const end = `/${pathKey(spelling)}`
  return named.filter((path) => `/${pathKey(path)}`.endsWith(end))
}

/** Where the path found has twins that differ in case or Unicode form alone, the one spelled as the link. */
function asSpelled(
  names: NameIndex,
  path: VaultPath | undefined,
  spellings: readonly string[],
): VaultPath | null {
  if (path === undefined) return null
  const twins = names.filesAt(path)
  return twins.find((twin) => spellings.some((spelling) => `/${twin}`.endsWith(`/${spelling}`))) ?? path
}

function closest(twins: readonly VaultPath[], spelling: string): VaultPath {
  const wanted = spelling.normalize('NFC')
  return twins.find((twin) => twin.normalize('NFC') === wanted) ?? twins[0]!
}
