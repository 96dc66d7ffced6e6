import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { SETTINGS, type Setting } from '../../src/config/schema.ts'
import type { LoadedConfig } from '../../src/config.ts'
import { HOME, load, placeholder, VAULT, YAML } from './load.ts'

/** A value for each setting that takes more than any text, as it is typed. */
const SAMPLES: Record<string, string> = {
  vaults: '/a/Notes',
  transport: 'http',
  'http.port': '8080',
  'http.token_file': '/t',
  'http.auth_issuer': 'https://issuer.example',
  log_level: 'debug',
  languages: 'en',
  locale: 'fr-CA',
  timezone: 'Asia/Tokyo',
  'embeddings.enabled': 'false',
  'embeddings.provider': 'hash',
  'embeddings.api_base': 'http://box:1/v1',
  'history.max_mb': '7',
  'history.max_days': '3',
  'embeddings.api_timeout_secs': '60',
  'embeddings.dim': '256',
  'embeddings.batch_size': '8',
  'semantic.prefetch': '7',
  'semantic.alpha': '0.5',
  'semantic.graph_from': '500',
  'docs.corpora': 'manual=/m',
  'sftp.timeout_secs': '9',
  'sftp.poll_interval_secs': '60',
  'sftp.verify_interval_secs': '600',
  'sftp.passphrase_file': '/t',
  'sftp.password_file': '/t',
}

function sampleOf({ fileKey, takes, fallback }: Setting): string {
  return SAMPLES[fileKey] ?? (takes === 'switch' ? String(!fallback) : '/sample')
}

/** What `knap config` shows of a setting, and where from. */
function shown(loaded: LoadedConfig, { fileKey }: Setting): unknown {
  const key = fileKey === 'data' ? 'data_dir' : fileKey
  return loaded.inForce.find((row) => row.key === key)
}

function nested(key: string, value: unknown): unknown {
  return key.split('.').reduceRight((inner, name) => ({ [name]: inner }), value)
}

describe('every setting is taken from flag, variable and file alike', () => {
  test.each(SETTINGS.map((setting) => [setting.fileKey, setting] as const))('%s', (fileKey, setting) => {
    const raw = sampleOf(setting)
    const others = fileKey === 'vaults' ? {} : VAULT
    const env = setting.env[0] as string
    const files = { '/t': 'token-of-a-file' }
    const ways: [string, LoadedConfig][] = [
      [env, load({ env: { ...others, [env]: raw }, files })],
      [
        `${fileKey} in ${YAML}`,
        load({ env: others, files: { ...files, [YAML]: stringify(nested(fileKey, raw)) } }),
      ],
    ]
    if (setting.flag !== null)
      ways.push([setting.flag, load({ argv: [`${setting.flag}=${raw}`], env: others, files })])
    const [first] = ways.map(([, loaded]) => (shown(loaded, setting) as { value: unknown }).value)
    expect(first).not.toEqual(fileKey === 'data' ? `${HOME}/.local/state/knap` : setting.fallback)
    for (const [name, loaded] of ways)
      expect(shown(loaded, setting)).toMatchObject({ value: first, origin: { name } })
  })
})

test('whatever is set, a configuration comes out or one line of complaint, without secrets', () => {
  const name = fc.constantFrom(
    ...SETTINGS.flatMap((setting) => setting.env),
    'OBSIDIAN_OTHER',
    'OBSIDIAN_WATC',
  )
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'true',
      '0',
      '-1',
      '1e9',
      'a,b',
      'sftp://a:SECRET@b/c',
      placeholder('X'),
      '\n',
      '"',
      '~',
      '\0',
    ),
  )
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '--',
      '--vault',
      '--port',
      '-h',
      'config',
      '--no-watch',
      ...SETTINGS.map((s) => s.flag ?? ''),
    ),
  )
  fc.assert(
    fc.property(
      fc.dictionary(name, value, { maxKeys: 4 }),
      fc.array(word, { maxLength: 4 }),
      fc.string(),
      (env, argv, yaml) => {
        const secret = 'SECRET VALUE'
        try {
          load({ env: { OBSIDIAN_HTTP_TOKEN: secret, ...env }, argv, files: { [YAML]: yaml } })
        } catch (error) {
          const { name: kind, message } = error as Error
          expect({ kind, message }).toEqual({
            kind: 'ConfigError',
            message: expect.not.stringMatching(/[\n\r]|SECRET/),
          })
        }
      },
    ),
    { numRuns: 500 },
  )
})
