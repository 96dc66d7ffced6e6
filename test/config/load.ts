import { expect } from 'bun:test'
import { type LoadedConfig, loadConfig } from '../../src/config.ts'

export const HOME = '/home/ada'

export interface Sources {
  argv?: string[]
  env?: Record<string, string>
  files?: Record<string, string>
  platform?: NodeJS.Platform
}

export function load({ argv = [], env = {}, files = {}, platform = 'linux' }: Sources): LoadedConfig {
  const readFile = (path: string) => files[path] ?? null
  return loadConfig({ argv, env, readFile, machine: { platform, home: HOME, cwd: '/work' } })
}

export function failure(sources: Sources): string {
  try {
    load(sources)
  } catch (error) {
    expect((error as Error).name).toBe('ConfigError')
    expect((error as Error).message).not.toContain('\n')
    return (error as Error).message
  }
  return 'it was taken'
}

/** What a client leaves in a variable that it should have filled in: the name in braces behind a dollar. */
export function placeholder(name: string): string {
  return `\${${name}}`
}

export const VAULT = { OBSIDIAN_VAULT_PATH: '/notes' }
export const YAML = `${HOME}/.config/knap/knap.yaml`
export const DOTENV = `${HOME}/.config/knap/.env`
