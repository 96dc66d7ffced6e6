import { accessSync, constants, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from './circumstances.ts'

/** A served vault as settings name it. */
export interface KeyedVault {
  readonly name: string
  readonly path: string
}

/** Rules that lie in the vault are read when an engine starts. */
const RULE_FILES = ['.knapignore', '.obsidian-mcp/ignore']

/**
 * The name of the engine that serves these vaults under these settings: 24 hex digits. Whatever an engine does in
 * another way for other settings is part of it; what each connection has for itself is not.
 * @param settings plain JSON without what each connection has for itself
 * @param circumstances see there
 */
export function engineKey(
  settings: Readonly<Record<string, unknown>>,
  vaults: readonly KeyedVault[],
  circumstances: string,
): string {
  const facts = JSON.stringify([circumstances, settings, vaults.map(vaultFacts)])
  return new Bun.CryptoHasher('sha256').update(facts).digest('hex').slice(0, 24)
}

function vaultFacts({ name, path }: KeyedVault): unknown {
  const root = realOf(path)
  return [
    name,
    path,
    root,
    identityOf(root),
    may(root, constants.R_OK),
    may(root, constants.W_OK),
    RULE_FILES.map((file) => textOf(join(root, file))),
  ]
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
