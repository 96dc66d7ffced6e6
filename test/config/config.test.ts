import { describe, expect, test } from 'bun:test'
import { type Config, loadConfig } from '../../src/config.ts'
import { DOTENV, failure, HOME, load, placeholder, VAULT, YAML } from './load.ts'

describe('values', () => {
  const cases: {
    env?: Record<string, string>
    argv?: string[]
    of: (config: Config) => unknown
    right: unknown
  }[] = [
    {
      of: (c) => [c.transport, c.http.host, c.http.port, c.watch, c.logLevel, c.tools, c.readOnly],
      right: ['stdio', '127.0.0.1', 37842, true, 'info', 'full', false],
    },
    { argv: ['--http', '--port', '0'], of: (c) => [c.transport, c.http.port], right: ['http', 0] },
    {
      env: { OBSIDIAN_TRANSPORT: 'HTTP', OBSIDIAN_HTTP_PORT: '9000' },
      of: (c) => [c.transport, c.http.port],
      right: ['http', 9000],
    },
    { env: { OBSIDIAN_TRANSPORT: 'http' }, argv: ['--stdio'], of: (c) => c.transport, right: 'stdio' },
    ...['false', '0', 'no', 'OFF', 'False'].map((word) => ({
      env: { OBSIDIAN_WATCH: word },
      of: (c: Config) => c.watch,
      right: false,
    })),
    ...['true', '1', 'YES', 'on'].map((word) => ({
      env: { OBSIDIAN_READ_ONLY: word },
      of: (c: Config) => c.readOnly,
      right: true,
    })),
    { argv: ['--no-watch', '--read-only'], of: (c) => [c.watch, c.readOnly], right: [false, true] },
    { argv: ['--watch', 'no', '--read-only=true'], of: (c) => [c.watch, c.readOnly], right: [false, true] },
    { env: { OBSIDIAN_TOOLS: '' }, of: (c) => c.tools, right: 'full' },
    { env: { OBSIDIAN_TOOLS: placeholder('TOOLS') }, of: (c) => c.tools, right: 'full' },
    {
      env: { OBSIDIAN_EXCLUDE_PATHS: ' **/drafts/ , Archive/**,, **/*.{tmp,bak}' },
      of: (c) => c.excludePaths,
      right: ['**/drafts/', 'Archive/**', '**/*.{tmp,bak}'],
    },
    {
      argv: ['--exclude-paths', 'a/,b/', '--exclude-paths=c/'],
      of: (c) => c.excludePaths,
      right: ['a/', 'b/', 'c/'],
    },
    {
      env: { OBSIDIAN_EMBEDDINGS: 'auto' },
      of: (c) => [c.embeddings.enabled, c.embeddings.provider],
      right: ['auto', 'local'],
    },
    {
      env: { OBSIDIAN_EMBEDDINGS: 'true', OPENAI_API_KEY: 'sk-x', OPENAI_MODEL: 'm' },
      of: (c) => c.embeddings.provider,
      right: 'local',
    },
    {
      env: { OBSIDIAN_EMBEDDINGS: 'true', OBSIDIAN_EMBEDDING_API_KEY: 'k', OPENAI_MODEL: 'm' },
      of: (c) => [c.embeddings.provider, c.embeddings.apiModel],
      right: ['api', 'm'],
    },
    {
      env: {
        OBSIDIAN_EMBEDDING_PROVIDER: 'api',
        OBSIDIAN_EMBEDDING_API_BASE: 'http://localhost:11434/v1/',
        OBSIDIAN_EMBEDDING_API_MODEL: 'm',
      },
      of: (c) => [c.embeddings.provider, c.embeddings.apiBase, c.embeddings.apiKey],
      right: ['api', 'http://localhost:11434/v1', null],
    },
    { env: { OBSIDIAN_HYBRID_ALPHA: '0.5' }, of: (c) => c.semantic.alpha, right: 0.5 },
    {
      env: { OBSIDIAN_HYBRID_ALPHA: '0.5', OBSIDIAN_SEMANTIC_ALPHA: '1' },
      of: (c) => c.semantic.alpha,
      right: 1,
    },
    { env: { LANG: 'de_DE.UTF-8' }, of: (c) => c.locale, right: 'de-DE' },
    { env: { LANG: 'C' }, of: (c) => c.locale, right: 'en' },
    { env: { LANG: 'de_DE', OBSIDIAN_LOCALE: 'en_gb' }, of: (c) => c.locale, right: 'en-GB' },
    { env: {}, of: (c) => c.languages, right: ['auto'] },
    { env: { OBSIDIAN_LANGUAGE: 'pt-BR, German' }, of: (c) => c.languages, right: ['pt', 'de'] },
    { env: { OBSIDIAN_TIMEZONE: 'Europe/Berlin' }, of: (c) => c.timezone, right: 'Europe/Berlin' },
    { of: (c) => [c.dataDir, c.cacheDir], right: [`${HOME}/.local/state/knap`, `${HOME}/.cache/knap`] },
    {
      env: { XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/c' },
      of: (c) => [c.dataDir, c.cacheDir],
      right: ['/s/knap', '/c/knap'],
    },
    { env: { XDG_STATE_HOME: 'relative' }, of: (c) => c.dataDir, right: `${HOME}/.local/state/knap` },
    {
      env: { OBSIDIAN_MCP_DATA: '~/d', XDG_CACHE_HOME: '/c' },
      of: (c) => [c.dataDir, c.cacheDir],
      right: [`${HOME}/d/data`, `${HOME}/d/cache`],
    },
    {
      env: { OBSIDIAN_MCP_DATA: '/notes/.obsidian-mcp' },
      of: (c) => c.dataDir,
      right: '/notes/.obsidian-mcp/data',
    },
    { env: { OBSIDIAN_SFTP_POLL_INTERVAL_SECS: '7200' }, of: (c) => c.sftp.verifyIntervalSecs, right: 7200 },
  ]
  test.each(cases)('$env $argv is $right', ({ env = {}, argv = [], of, right }) => {
    expect(of(load({ argv, env: { ...VAULT, ...env } }).config)).toEqual(right)
  })

  test('flags beat the environment, that the .env, that the file', () => {
    const files = {
      [YAML]: 'tools: a\nlog_level: error\nhttp: {port: 4, host: localhost}\n',
      [DOTENV]: 'export OBSIDIAN_TOOLS="b"\nOBSIDIAN_LOG_LEVEL=warn\nOBSIDIAN_HTTP_PORT=3 # three\n',
    }
    const { config, inForce } = load({
      argv: ['--port', '1'],
      env: { ...VAULT, OBSIDIAN_LOG_LEVEL: 'debug', OBSIDIAN_HTTP_PORT: '2' },
      files,
    })
    expect([config.http.port, config.logLevel, config.tools, config.http.host]).toEqual([
      1,
      'debug',
      'b',
      'localhost',
    ])
    const origin = (key: string) => inForce.find((row) => row.key === key)?.origin.name
    expect(['http.port', 'log_level', 'tools', 'http.host', 'watch'].map(origin)).toEqual([
      '--port',
      'OBSIDIAN_LOG_LEVEL',
      `OBSIDIAN_TOOLS in ${DOTENV}`,
      `http.host in ${YAML}`,
      'default',
    ])
  })

  test('every part of a configuration is frozen', () => {
    const { config } = load({ env: VAULT })
    expect(
      [config, config.http, config.vaults, config.vaults[0], config.http.allowedHosts].every(Object.isFrozen),
    ).toBe(true)
  })
})

describe('wrong values name their place, the value and what is right', () => {
  const cases: {
    env?: Record<string, string>
    argv?: string[]
    files?: Record<string, string>
    says: RegExp
  }[] = [
    {
      env: { OBSIDIAN_WATCH: 'maybe' },
      says: /^OBSIDIAN_WATCH: "maybe" is not right; it takes true or false\.$/,
    },
    {
      env: { OBSIDIAN_HTTP_PORT: 'many' },
      says: /^OBSIDIAN_HTTP_PORT: "many" .* a whole number from 0 to 65535\.$/,
    },
    { argv: ['--port', '65536'], says: /^--port: "65536" / },
    { argv: ['--port', '8e1'], says: /^--port: "8e1" / },
    { argv: ['--port'], says: /^--port needs a value/ },
    { argv: ['--port', '--http'], says: /^--port needs a value/ },
    { argv: ['--prot', '1'], says: /^there is no flag --prot\. Did you mean "--port"\?$/ },
    { argv: ['--http=1'], says: /^--http takes no value/ },
    { argv: ['--http-token', 'x'], says: /^there is no flag --http-token/ },
    { env: { OBSIDIAN_TRANSPORT: 'sse' }, says: /stdio, http/ },
    { env: { OBSIDIAN_EMBEDDINGS: 'maybe' }, says: /auto, true or false/ },
    { env: { OBSIDIAN_EMBEDDING_API_BASE: 'ftp://x' }, says: /an http\(s\) address/ },
    {
      env: { OBSIDIAN_EMBEDDING_PROVIDER: 'api', OBSIDIAN_EMBEDDING_API_KEY: 'k' },
      says: /OBSIDIAN_EMBEDDING_API_MODEL/,
    },
    {
      env: { OBSIDIAN_EMBEDDING_PROVIDER: 'api', OBSIDIAN_EMBEDDING_API_MODEL: 'm' },
      says: /OBSIDIAN_EMBEDDING_API_KEY/,
    },
    { env: { OBSIDIAN_SEMANTIC_ALPHA: '1.5' }, says: /a number from 0 to 1/ },
    { env: { OBSIDIAN_TIMEZONE: 'Berlin' }, says: /Europe\/Berlin/ },
    { env: { OBSIDIAN_LOCALE: 'x_y_z!' }, says: /a locale/ },
    { env: { OBSIDIAN_LANGUAGE: 'klingon' }, says: /it takes auto, or languages such as en,de/ },
    { env: { OBSIDIAN_SFTP_TIMEOUT_SECS: '0' }, says: /from 1 to 86400/ },
    { env: { OBSIDIAN_SFTP_VERIFY_INTERVAL_SECS: '10' }, says: /at least the polling interval, 300/ },
    {
      env: { OBSIDIAN_EXCLUDE_PATH: 'a/' },
      says: /^OBSIDIAN_EXCLUDE_PATH is no setting\. Did you mean "OBSIDIAN_EXCLUDE_PATHS"\?$/,
    },
    { env: { OBSIDIAN_READONLY: 'true' }, says: /OBSIDIAN_READ_ONLY/ },
    { env: { OBSIDIAN_TANTIVI: 'true' }, says: /OBSIDIAN_TANTIVY/ },
    {
      env: { OBSIDIAN_MEMORY_AUTHORIZER_URL: 'http://127.0.0.1:1/' },
      says: /OBSIDIAN_MEMORY_AUTHORIZER_URL is set.*access rules/,
    },
    { env: { OBSIDIAN_MEMORY_ANYTHING: '1' }, says: /OBSIDIAN_MEMORY_ANYTHING/ },
    {
      files: { [DOTENV]: 'OBSIDIAN_WATHC=1\n' },
      says: /^OBSIDIAN_WATHC in .*\.env is no setting\. Did you mean "OBSIDIAN_WATCH"/,
    },
    {
      files: { [YAML]: 'http: {prot: 1}\n' },
      says: /^http\.prot in .*knap\.yaml is no setting\. Did you mean "http\.port"\?$/,
    },
    { files: { [YAML]: 'prot: 80\n' }, says: /Did you mean "http\.port"/ },
    { files: { [YAML]: 'read-only: true\n' }, says: /Did you mean "read_only"/ },
    { files: { [YAML]: 'OBSIDIAN_MCP_DATA: /d\n' }, says: /Did you mean "data"/ },
    { files: { [YAML]: 'tls-crt: a.pem\n' }, says: /Did you mean "http\.tls_cert"/ },
    { files: { [YAML]: 'wacth: true\n' }, says: /Did you mean "watch"/ },
    { files: { [YAML]: 'http: 80\n' }, says: /^http in .*: 80 is not right; it takes a mapping/ },
    {
      files: { [YAML]: 'watch: maybe\n' },
      says: /^watch in .*knap\.yaml: "maybe" is not right; it takes true or false/,
    },
    { files: { [YAML]: '- a\n' }, says: /it takes a mapping/ },
    { files: { [YAML]: 'a: [\n' }, says: /knap\.yaml: / },
    { argv: ['--config', '/no.yaml'], says: /^--config: \/no\.yaml is not there\.$/ },
    {
      argv: ['--config', '/notes/k.yaml'],
      files: { '/notes/k.yaml': 'watch: true' },
      says: /lies in the vault/,
    },
    {
      env: { OBSIDIAN_MCP_DATA: '/notes/data' },
      says: /^OBSIDIAN_MCP_DATA: \/notes\/data lies among the notes/,
    },
    { argv: ['--http', '--host', '0.0.0.0'], says: /^--host: "0\.0\.0\.0" .*OBSIDIAN_HTTP_TOKEN/ },
    { env: { OBSIDIAN_HTTP_TOKEN: 'a b' }, says: /^OBSIDIAN_HTTP_TOKEN: the token is not right/ },
    { env: { OBSIDIAN_HTTP_TOKEN_FILE: '/t' }, says: /^OBSIDIAN_HTTP_TOKEN_FILE: \/t is not there/ },
    {
      env: { OBSIDIAN_HTTP_TOKEN_FILE: '/t', OBSIDIAN_HTTP_TOKEN: 'x' },
      files: { '/t': 'y' },
      says: /both give the token/,
    },
    { argv: ['--http', '--tls-cert', '/c'], says: /^--tls-cert alone is not enough; it takes --tls-key too/ },
    { argv: ['--http', '--tls-key', '/k'], says: /^--tls-key alone is not enough; it takes --tls-cert too/ },
    {
      env: { OBSIDIAN_TRANSPORT: 'http', OBSIDIAN_HTTP_AUTH_ISSUER: 'https://i.example' },
      says: /^OBSIDIAN_HTTP_AUTH_ISSUER: .*OBSIDIAN_HTTP_TOKEN/,
    },
  ]
  test.each(cases)('$says', ({ env = {}, argv = [], files = {}, says }) => {
    expect(failure({ argv, env: { ...VAULT, ...env }, files })).toMatch(says)
  })
})

describe('warnings', () => {
  const cases: { env: Record<string, string>; right: RegExp[] }[] = [
    { env: { OBSIDIAN_TOOLS: '' }, right: [/^OBSIDIAN_TOOLS is empty/] },
    { env: { OBSIDIAN_TOOLS: placeholder('X') }, right: [/OBSIDIAN_TOOLS holds "\$\{X\}", a placeholder/] },
    { env: { OBSIDIAN_VAULT_NAME: 'x' }, right: [/^OBSIDIAN_VAULT_NAME is not a setting/] },
    {
      env: { OBSIDIAN_TANTIVY: 'maybe', OBSIDIAN_SEMANTIC_CONNECT_RETRIES: '2', FASTEMBED_CACHE_DIR: '/x' },
      right: [],
    },
    {
      env: { OBSIDIAN_TRANSPORT: 'http', OBSIDIAN_HTTP_HOST: '0.0.0.0', OBSIDIAN_HTTP_TOKEN: 'x'.repeat(32) },
      right: [/^OBSIDIAN_HTTP_HOST: .*unencrypted.*reverse proxy/],
    },
    {
      env: {
        OBSIDIAN_TRANSPORT: 'http',
        OBSIDIAN_HTTP_HOST: '0.0.0.0',
        OBSIDIAN_HTTP_TOKEN: 'x'.repeat(32),
        OBSIDIAN_HTTP_TLS_CERT: '/c',
        OBSIDIAN_HTTP_TLS_KEY: '/k',
      },
      right: [],
    },
    { env: { OBSIDIAN_WATHC: '', NODE_ENV: 'x', OPENAI_ORG: 'x' }, right: [] },
  ]
  test.each(cases)('$env', ({ env, right }) => {
    const { warnings } = load({ env: { ...VAULT, ...env } })
    expect(warnings.length).toBe(right.length)
    right.forEach((pattern, at) => {
      expect(warnings[at]).toMatch(pattern)
    })
  })

  test('a word that is nearly a command is named', () => {
    expect(load({ argv: ['confg'] }).warnings.join()).toMatch(/the command is called "config"/)
  })
})

describe('commands', () => {
  const cases: { argv: string[]; env?: Record<string, string>; right: unknown }[] = [
    { argv: ['/n'], right: ['run', []] },
    { argv: ['run', '/n'], right: ['run', []] },
    { argv: ['config'], right: ['config', []] },
    { argv: ['config', '--json', '/n'], right: ['config', []] },
    { argv: ['help', 'config'], right: ['help', ['config']] },
    { argv: ['config', '--help'], right: ['help', ['config']] },
    { argv: ['/n', '--help'], right: ['help', []] },
    { argv: ['-h'], env: { OBSIDIAN_WATCH: 'maybe' }, right: ['help', []] },
    { argv: ['--version'], env: { OBSIDIAN_MEMORY_X: '1' }, right: ['version', []] },
    { argv: ['--', '--help'], right: ['run', []] },
  ]
  test.each(cases)('$argv', ({ argv, env = {}, right }) => {
    const { command } = load({ argv, env })
    expect([command.name, command.words]).toEqual(right as never)
  })

  test('a flag of one command is unknown to the others', () => {
    expect([...load({ argv: ['config', '--json'] }).command.flags]).toEqual([['--json', true]])
    expect(failure({ argv: ['--json', '/n'] })).toMatch(/there is no flag --json/)
  })
})

test('secrets are named for the log and masked in what is printed', () => {
  const env = { ...VAULT, OBSIDIAN_HTTP_TOKEN_FILE: '/t', OBSIDIAN_EMBEDDING_API_KEY: 'key-123456' }
  const loaded = load({ env, files: { '/t': ' tok-0123456789abcdef \n' } })
  expect(loaded.config.http.token).toBe('tok-0123456789abcdef')
  expect(loaded.secrets).toEqual(['tok-0123456789abcdef', 'key-123456'])
  expect(JSON.stringify(loaded.inForce)).not.toMatch(/tok-0|key-1/)
})

test('the settings file lies in the folder of the system, the .env beside it', () => {
  const places: [NodeJS.Platform, Record<string, string>, string][] = [
    ['linux', {}, '/home/ada/.config/knap/knap.yaml'],
    ['linux', { XDG_CONFIG_HOME: '/x' }, '/x/knap/knap.yaml'],
    ['darwin', {}, '/home/ada/Library/Application Support/knap/knap.yaml'],
  ]
  for (const [platform, env, file] of places) {
    const asked: string[] = []
    const machine = { platform, home: HOME, cwd: '/work' }
    loadConfig({
      argv: ['/n'],
      env,
      machine,
      readFile: (path) => {
        asked.push(path)
        return null
      },
    })
    expect(asked).toEqual([file, file.replace('knap.yaml', '.env')])
  }
})
