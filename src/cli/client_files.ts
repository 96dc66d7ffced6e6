import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { VaultError } from '../errors.ts'
import type { Launch } from './clients.ts'

/** The settings file of one client program, and where in it servers stand. */
export interface ClientFile {
  readonly client: string
  readonly title: string
  readonly file: string
  readonly format: 'json' | 'toml'
  /** The key below which a server stands by its name. */
  readonly key: string
  /** What this client wants beside command and arguments. */
  readonly extra: Readonly<Record<string, string>>
}

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** `%APPDATA%` of Windows. */
  readonly appData: string | undefined
}

/** Where each client that is known keeps its servers on this machine. */
export function clientFiles({ platform, home, appData }: Surroundings): ClientFile[] {
  const config =
    platform === 'darwin'
      ? `${home}/Library/Application Support`
      : platform === 'win32'
        ? (appData ?? `${home}/AppData/Roaming`)
        : `${home}/.config`
  const json = (client: string, title: string, file: string, key = 'mcpServers', extra = {}): ClientFile => ({
    client,
    title,
    file,
    format: 'json',
    key,
    extra,
  })
  return [
    json('claude-code', 'Claude Code', `${home}/.claude.json`, 'mcpServers', { type: 'stdio' }),
    json('claude-desktop', 'Claude Desktop', `${config}/Claude/claude_desktop_config.json`),
    json('cursor', 'Cursor', `${home}/.cursor/mcp.json`),
    json('vscode', 'VS Code', `${config}/Code/User/mcp.json`, 'servers', { type: 'stdio' }),
    json('windsurf', 'Windsurf', `${home}/.codeium/windsurf/mcp_config.json`),
    json('gemini', 'Gemini CLI', `${home}/.gemini/settings.json`),
    json('zed', 'Zed', `${config}/zed/settings.json`, 'context_servers', { source: 'custom' }),
    {
      client: 'codex',
      title: 'Codex',
      file: `${home}/.codex/config.toml`,
      format: 'toml',
      key: 'mcp_servers',
      extra: {},
    },
  ]
}

/**
 * The file's text with this server in it, or without it where `launch` is null; everything else keeps its bytes.
 * @param before the text as it is, '' for a file that is not there
 * @throws VaultError `bad_argument` where the file is none that its client could read
 */
export function withServer(
  before: string,
  { file, format, key, extra }: ClientFile,
  name: string,
  launch: Launch | null,
): string {
  if (format === 'toml') return tomlWith(before, `${key}.${name}`, launch)
  const errors: ParseError[] = []
  const tree: unknown = parse(before, errors, { allowTrailingComma: true, allowEmptyContent: true })
  if (
    errors.length > 0 ||
    (tree !== undefined && (typeof tree !== 'object' || tree === null || Array.isArray(tree)))
  ) {
    throw new VaultError('bad_argument', `${file} is no JSON object as it stands.`, {
      hint: 'Mend it, or add the server by hand: --print shows what.',
    })
  }
  const known = (tree as Record<string, Record<string, unknown>> | undefined)?.[key]?.[name]
  if (launch === null && known === undefined) return before
  const value = launch === null ? undefined : { ...extra, command: launch.command, args: [...launch.args] }
  const edits = modify(before === '' ? '{}' : before, [key, name], value, {
    formattingOptions: {
      insertSpaces: true,
      tabSize: indentOf(before),
      eol: before.includes('\r\n') ? '\r\n' : '\n',
    },
  })
  const after = applyEdits(before === '' ? '{}' : before, edits)
  return before === '' ? `${after}\n` : after
}

function indentOf(text: string): number {
  return /\n( +)\S/.exec(text)?.[1]?.length ?? 2
}

/** A table of its own at the end, or in the place of the one of that name: other tables and comments are not touched. */
function tomlWith(before: string, table: string, launch: Launch | null): string {
  const lines = before.split('\n')
  const start = lines.findIndex((line) => line.trim() === `[${table}]`)
  const block =
    launch === null
      ? []
      : [
          `[${table}]`,
          `command = ${JSON.stringify(launch.command)}`,
          `args = [${launch.args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
        ]
  if (start < 0) {
    if (launch === null) return before
    const head = before === '' ? '' : before.endsWith('\n') ? `${before}\n` : `${before}\n\n`
    return `${head}${block.join('\n')}\n`
  }
  let end = start + 1
  while (end < lines.length && !/^\s*\[/.test(lines[end] as string)) end++
  // Blank lines before the next table belong to that one.
  let stop = end
  while (stop > start + 1 && lines[stop - 1]?.trim() === '') stop--
  if (launch === null) {
    const kept = [...lines.slice(0, start), ...lines.slice(end)].join('\n')
    return end >= lines.length ? `${kept.trimEnd()}${kept.trim() === '' ? '' : '\n'}` : kept
  }
  return [...lines.slice(0, start), ...block, ...lines.slice(stop)].join('\n')
}
