import { VaultError } from '../errors.ts'
import { noteRead } from '../mcp/tools/note_read.ts'
import type { Vault } from '../vault/vault.ts'

export interface ReadFlags {
  /** Heading, or path of headings `A::B`. */
  readonly section: string | undefined
  /** `12` or `12-20`, from 1. */
  readonly lines: string | undefined
  readonly json: boolean
}

/** What `knap read` prints: the note's text as it stands, or the tool's answer as JSON. @throws VaultError */
export async function readCommand(vault: Vault, path: string, flags: ReadFlags): Promise<string> {
  const args = {
    path,
    ...(flags.section === undefined ? {} : { section: flags.section }),
    ...(flags.lines === undefined ? {} : { lines: linesOf(flags.lines) }),
    format: 'raw',
  }
  const context = {
    vault,
    client: 'knap read',
    signal: new AbortController().signal,
    progress: () => {},
    transport: 'stdio' as const,
    isRemote: false,
  }
  await vault.named()
  const { data } = await noteRead.run(context as never, args as never)
  if (flags.json) return `${JSON.stringify(data, null, 2)}\n`
  const { content, truncated } = data as { content: string; truncated: boolean }
  if (!truncated || flags.section !== undefined || flags.lines !== undefined) return content
  return (await vault.read((await vault.locate(path)).path)).text
}

function linesOf(text: string): { start: number; end: number } {
  const found = /^(\d+)(?:-(\d+))?$/.exec(text)
  if (found === null) {
    throw new VaultError('bad_argument', `--lines ${text} is no range of lines.`, {
      hint: 'Write it as --lines 12 or --lines 12-20.',
    })
  }
  return { start: Number(found[1]), end: Number(found[2] ?? found[1]) }
}
