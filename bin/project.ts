import { existsSync } from 'node:fs'
import path from 'node:path'

/** The checkout, absolute. These programs run before anything is installed: they import nothing that is not here. */
export const ROOT = path.resolve(import.meta.dir, '..')

/** Runs the Bun that runs this, in the checkout, and waits. @returns its exit code */
export async function runBun(args: readonly string[]): Promise<number> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  return await child.exited
}

/** Installs what the lock file names; ends the program where that fails. */
export async function install(): Promise<void> {
  const code = await runBun(['install', '--frozen-lockfile'])
  if (code === 0) return
  console.error(`The installation ended with code ${code}; what it printed above says why.`)
  process.exit(1)
}

export function isInstalled(): boolean {
  return existsSync(path.join(ROOT, 'node_modules', '@modelcontextprotocol', 'server', 'package.json'))
}
