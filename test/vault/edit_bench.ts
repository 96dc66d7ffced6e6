import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { revisionOf } from '../../src/note/revision.ts'
import { openLocalStorage } from '../../src/storage/local.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type Editor, type EditorOptions, openEditor } from '../../src/vault/edit.ts'
import type { ChangeEvent, TextEdit } from '../../src/vault/edit_types.ts'
import type { History } from '../../src/vault/history.ts'
import { createRules } from '../../src/vault/rules.ts'

export const ACTOR = { client: 'test', tool: 'test_tool' }

export const rev = (text: string) => revisionOf(new TextEncoder().encode(text))

/** A small vault on disk, with an editor over it. */
export interface EditBench {
  readonly top: string
  readonly root: string
  readonly dataDir: string
  readonly editor: Editor
  readonly history: History
  readonly events: ChangeEvent[]
  /** All files of the vault, the hidden ones too, with their texts. */
  files(): Record<string, string>
  put(path: string, text: string | Uint8Array): void
  text(path: string): string
  /** Another editor over the same vault, as another start of the server would make it. */
  open(options?: Partial<EditorOptions>): Promise<{ editor: Editor; history: History }>
  close(): void
}

export async function editBench(
  files: Record<string, string>,
  options: Partial<EditorOptions> & { readonly wrap?: (storage: Storage) => Storage } = {},
): Promise<EditBench> {
  const top = mkdtempSync(join(tmpdir(), 'knap-edit-'))
  const root = join(top, 'vault')
  const dataDir = join(top, 'data')
  mkdirSync(root)
  const put = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) put(path, text)
  const events: ChangeEvent[] = []
  const plain = await openLocalStorage(root)
  const open = async (more: Partial<EditorOptions> = {}) =>
    openEditor({ storage: plain, rules: createRules({}), dataDir, onChange: (e) => events.push(e), ...more })
  const { wrap, ...rest } = options
  const { editor, history } = await open({ ...rest, storage: wrap?.(plain) ?? plain })
  return {
    top,
    root,
    dataDir,
    editor,
    history,
    events,
    files: () => filesIn(root),
    put,
    text: (path) => readFileSync(join(root, path), 'utf8'),
    open,
    close: () => {
      editor.close()
      rmSync(top, { recursive: true })
    },
  }
}

function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true }).map(String).sort()
  return Object.fromEntries(
    names
      .filter((n) => statSync(join(root, n)).isFile())
      .map((n) => [n, readFileSync(join(root, n), 'utf8')]),
  )
}

/** An edit that takes `now` for whatever stood there. */
export function set(path: string, now: string, more: Partial<TextEdit> = {}): TextEdit {
  return { path, mode: 'upsert', edit: () => ({ text: now }), ...more }
}

/** Replaces one word of a note. */
export function swap(path: string, from: string, to: string, more: Partial<TextEdit> = {}): TextEdit {
  return { path, mode: 'replace', edit: (before) => ({ text: before!.text.replaceAll(from, to) }), ...more }
}
