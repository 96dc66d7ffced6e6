import { fileURLToPath } from 'node:url'

/**
 * How this program starts itself again: a compiled file is its own command, sources need the Bun that runs them,
 * with the flags that keep a folder's `bunfig.toml` and `.env` from being read.
 */
export function selfCommand(): string[] {
  if (import.meta.url.includes('/$bunfs/') || import.meta.url.includes('~BUN')) return [process.execPath]
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  return [process.execPath, '--no-env-file', '--config=/dev/null', '--no-install', main]
}
