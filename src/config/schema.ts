import { z } from 'zod'
import type { CorpusSource } from '../docs/source.ts'
import { LOG_LEVELS } from '../logger.ts'
import { CORPORA_RIGHT } from './corpora.ts'
import {
  autoOrSwitched,
  choice,
  decimal,
  languages,
  list,
  locale,
  switched,
  text,
  timezone,
  webAddress,
  whole,
} from './kinds.ts'
import { type About, about, option } from './option.ts'
import { sftpSettings } from './sftp_settings.ts'
import { VAULT_RIGHT, type VaultSource } from './vaults.ts'

const DAY = 86_400

/**
 * The single source of all settings: their kinds, names, defaults and descriptions. The key of a leaf in `knap.yaml`
 * is its path in snake case (`http.allowed_hosts`), its flag the same with dashes unless it states another.
 */
const configSchema = z.object({
  vaults: option(z.custom<readonly VaultSource[]>(Array.isArray, VAULT_RIGHT), {
    env: ['OBSIDIAN_VAULT_PATH'],
    flag: '--vault',
    takes: 'several',
    form: 'vaults',
    fallback: [],
    fallbackSays: 'none: one must be named',
    says: 'The vault: a folder, or `sftp://[user@]host[:port]/absolute/path`. Also the first argument. Several: `--vault name=path`, repeated, or a mapping of names to paths under `vaults:` in the file.',
  }),
  transport: option(choice(['stdio', 'http']), {
    env: ['OBSIDIAN_TRANSPORT'],
    fallback: 'stdio',
    says: 'How clients speak to the server. `--http` and `--stdio` are short for it.',
  }),
  standalone: option(switched, {
    env: ['OBSIDIAN_STANDALONE'],
    takes: 'switch',
    fallback: false,
    says: 'Keep an engine of its own, also where another Knap of the same user serves the same vault with the same settings.',
  }),
  http: z.object({
    host: option(text, {
      env: ['OBSIDIAN_HTTP_HOST'],
      flag: '--host',
      fallback: '127.0.0.1',
      says: 'Address to listen on. Anything but loopback needs a token.',
    }),
    port: option(whole(0, 65_535), {
      env: ['OBSIDIAN_HTTP_PORT'],
      flag: '--port',
      fallback: 37_842,
      says: 'Port to listen on; 0 lets the system choose one.',
    }),
    token: option(text.nullable(), {
      env: ['OBSIDIAN_HTTP_TOKEN'],
      flag: null,
      fallback: null,
      secret: true,
      says: 'What clients must send as `Authorization: Bearer …`.',
    }),
    tokenFile: option(text.nullable(), {
      env: ['OBSIDIAN_HTTP_TOKEN_FILE'],
      form: 'path',
      fallback: null,
      says: 'A file that holds the token.',
    }),
    allowedHosts: option(list, {
      env: ['OBSIDIAN_HTTP_ALLOWED_HOSTS'],
      takes: 'several',
      fallback: [],
      fallbackSays: 'loopback names and the address listened on',
      says: 'Further `Host` names that requests may carry.',
    }),
    allowedOrigins: option(list, {
      env: ['OBSIDIAN_HTTP_ALLOWED_ORIGINS'],
      takes: 'several',
      fallback: [],
      fallbackSays: 'loopback origins',
      says: 'Further `Origin`s of web pages that may call the server.',
    }),
    tlsCert: option(text.nullable(), {
      env: ['OBSIDIAN_HTTP_TLS_CERT'],
      flag: '--tls-cert',
      form: 'path',
      fallback: null,
      says: 'A PEM file with the certificate: with it and its key the server speaks https.',
    }),
    tlsKey: option(text.nullable(), {
      env: ['OBSIDIAN_HTTP_TLS_KEY'],
      flag: '--tls-key',
      form: 'path',
      fallback: null,
      says: 'A PEM file with the key of that certificate.',
    }),
    authIssuer: option(webAddress.nullable(), {
      env: ['OBSIDIAN_HTTP_AUTH_ISSUER'],
      fallback: null,
      says: 'Where clients are sent for a token (OAuth protected-resource metadata); what they bring is compared with the token all the same.',
    }),
  }),
  tools: option(text, {
    env: ['OBSIDIAN_TOOLS'],
    fallback: 'full',
    says: 'Which tools are offered: a profile (`full`, `core`, `read`, `minimal`, `docs`, `classic`), `a,b` (only these), `!a,!b` (all but these), or a profile with changes (`read,+frontmatter,-search_regex`).',
  }),
  profilesDir: option(text.nullable(), {
    env: ['OBSIDIAN_PROFILES'],
    flag: '--profiles',
    form: 'path',
    fallback: null,
    says: 'A folder of further profiles, a YAML file each.',
  }),
  readOnly: option(switched, {
    env: ['OBSIDIAN_READ_ONLY'],
    takes: 'switch',
    fallback: false,
    says: 'Close everything that writes, whatever the profile says.',
  }),
  excludePaths: option(list, {
    env: ['OBSIDIAN_EXCLUDE_PATHS'],
    takes: 'several',
    fallback: [],
    says: 'Globs from the root of the vault that are left out everywhere: `Archive/`, `**/drafts/`, `**/*.tmp.md`.',
  }),
  allowPaths: option(list, {
    env: ['OBSIDIAN_ALLOW_PATHS'],
    takes: 'several',
    fallback: [],
    fallbackSays: 'everything',
    says: 'Only what these patterns match exists for clients (gitignore syntax).',
  }),
  denyPaths: option(list, {
    env: ['OBSIDIAN_DENY_PATHS'],
    takes: 'several',
    fallback: [],
    says: 'What these patterns match does not exist for clients (gitignore syntax).',
  }),
  writePaths: option(list, {
    env: ['OBSIDIAN_WRITE_PATHS'],
    takes: 'several',
    fallback: [],
    fallbackSays: 'everything that can be read',
    says: 'Only what these patterns match may be changed (gitignore syntax).',
  }),
  allowHidden: option(switched, {
    env: ['OBSIDIAN_ALLOW_HIDDEN'],
    takes: 'switch',
    fallback: false,
    says: 'Open dot-folders such as `.obsidian` for reading. They are never written.',
  }),
  watch: option(switched, {
    env: ['OBSIDIAN_WATCH'],
    takes: 'switch',
    fallback: true,
    says: 'Notice changes that others make to the vault.',
  }),
  data: option(text.nullable(), {
    env: ['OBSIDIAN_MCP_DATA'],
    form: 'path',
    fallback: null,
    fallbackSays: "the system's state and cache folders",
    says: 'One folder for both: history, journal and locks (`data`), index and vectors (`cache`).',
  }),
  history: z.object({
    maxMb: option(whole(0, 1_000_000), {
      env: ['OBSIDIAN_HISTORY_MAX_MB'],
      fallback: 500,
      says: 'Megabytes of earlier texts that are kept of each vault, so that changes can be undone; 0 keeps none.',
    }),
    maxDays: option(whole(1, 36_500), {
      env: ['OBSIDIAN_HISTORY_MAX_DAYS'],
      fallback: 90,
      says: 'Days that they are kept.',
    }),
  }),
  logLevel: option(choice(LOG_LEVELS), {
    env: ['OBSIDIAN_LOG_LEVEL'],
    fallback: 'info',
    says: 'How much is logged, to standard error.',
  }),
  languages: option(languages, {
    env: ['OBSIDIAN_LANGUAGE'],
    flag: '--language',
    takes: 'several',
    fallback: ['auto'],
    says: 'Languages whose word forms are found in every note: `auto` (guessed for each), or codes such as `en,de`. `lang` in the properties of a note wins.',
  }),
  locale: option(locale.nullable(), {
    env: ['OBSIDIAN_LOCALE'],
    fallback: null,
    fallbackSays: '`LANG`',
    says: 'Names of months and days, and the first day of the week, in periodic notes.',
  }),
  timezone: option(timezone.nullable(), {
    env: ['OBSIDIAN_TIMEZONE'],
    fallback: null,
    fallbackSays: "the system's",
    says: 'What "today" is.',
  }),
  embeddings: z.object({
    enabled: option(autoOrSwitched, {
      env: ['OBSIDIAN_EMBEDDINGS'],
      flag: '--embeddings',
      fallback: 'auto',
      says: 'Search by meaning. `auto`: on where a local model that fits is at hand.',
    }),
    model: option(text.nullable(), {
      env: ['OBSIDIAN_EMBEDDINGS_MODEL'],
      fallback: null,
      fallbackSays: "by the vault's languages",
      says: 'The local model by name.',
    }),
    provider: option(choice(['local', 'api', 'hash']).nullable(), {
      env: ['OBSIDIAN_EMBEDDING_PROVIDER'],
      fallback: null,
      fallbackSays:
        '`local`; `api` where embeddings are `true` and an `OBSIDIAN_EMBEDDING_API_*` setting is given',
      says: 'Where vectors come from: a `local` model, an `api` (notes leave this machine), or `hash` (no model).',
    }),
    apiKey: option(text.nullable(), {
      env: ['OBSIDIAN_EMBEDDING_API_KEY', 'OPENAI_API_KEY'],
      flag: null,
      fallback: null,
      secret: true,
      says: 'Key of the embedding API.',
    }),
    apiBase: option(webAddress, {
      env: ['OBSIDIAN_EMBEDDING_API_BASE', 'OPENAI_BASE_URL'],
      fallback: 'https://api.openai.com/v1',
      says: 'Address of an OpenAI-compatible API.',
    }),
    apiModel: option(text.nullable(), {
      env: ['OBSIDIAN_EMBEDDING_API_MODEL', 'OPENAI_MODEL'],
      fallback: null,
      says: 'Model of the embedding API.',
    }),
    apiProfile: option(text.nullable(), {
      env: ['OBSIDIAN_EMBEDDING_API_PROFILE'],
      form: 'path',
      fallback: null,
      says: 'A JSON file with tokenizer and limits of exactly this API and model.',
    }),
    apiTimeoutSecs: option(whole(1, DAY), {
      env: ['OBSIDIAN_EMBEDDING_API_TIMEOUT_SECS'],
      fallback: 30,
      says: 'Seconds that a request to the API may take, retries included.',
    }),
    dim: option(whole(1, 65_536).nullable(), {
      env: ['OBSIDIAN_EMBEDDING_DIM'],
      fallback: null,
      fallbackSays: 'asked of the API',
      says: 'Dimensions of its vectors.',
    }),
    batchSize: option(whole(1, 100_000), {
      env: ['OBSIDIAN_EMBEDDING_BATCH_SIZE'],
      fallback: 32,
      says: 'Notes that are embedded in one go in the background.',
    }),
    caCert: option(text.nullable(), {
      env: ['OBSIDIAN_EMBEDDING_CA_CERT'],
      form: 'path',
      fallback: null,
      says: 'A PEM file with the certificate authority of the API.',
    }),
    tlsVerify: option(switched, {
      env: ['OBSIDIAN_EMBEDDING_TLS_VERIFY'],
      takes: 'switch',
      fallback: true,
      says: "Check the API's certificate.",
    }),
    modelPath: option(text.nullable(), {
      env: ['OBSIDIAN_MODEL_PATH'],
      flag: '--model-path',
      form: 'path',
      fallback: null,
      says: 'A folder that holds local models, looked into first.',
    }),
    modelDownload: option(switched, {
      env: ['OBSIDIAN_MODEL_DOWNLOAD'],
      flag: '--model-download',
      takes: 'switch',
      fallback: false,
      says: 'Fetch a missing model from the network.',
    }),
  }),
  semantic: z.object({
    prefetch: option(whole(1, 10_000), {
      env: ['OBSIDIAN_SEMANTIC_PREFETCH'],
      fallback: 50,
      says: 'Notes that the keyword side brings into a blended search.',
    }),
    alpha: option(decimal(0, 1), {
      env: ['OBSIDIAN_SEMANTIC_ALPHA', 'OBSIDIAN_HYBRID_ALPHA'],
      fallback: 0.25,
      says: 'Weight of keywords in it: 0 is meaning alone, 1 keywords alone.',
    }),
    graphFrom: option(whole(0, 1_000_000_000), {
      env: ['OBSIDIAN_SEMANTIC_GRAPH_FROM'],
      fallback: 20_000,
      says: 'With more vectors than this, near ones are found along a graph (HNSW), if `hnswlib-node` could be built; else all are compared.',
    }),
  }),
  docs: z.object({
    corpora: option(z.custom<readonly CorpusSource[]>(Array.isArray, CORPORA_RIGHT), {
      env: ['OBSIDIAN_DOCS'],
      flag: '--docs',
      takes: 'several',
      form: 'corpora',
      fallback: [],
      says: 'Manuals beside the vault: `obsidian-help`, `obsidian-developer-docs`, `name=folder` or `name=https://…` (a ZIP archive).',
    }),
    prebuiltUrl: option(text.nullable(), {
      env: ['OBSIDIAN_DOCS_PREBUILT_URL'],
      form: 'place',
      fallback: null,
      says: 'Address or path of a file made by `knap docs export`, tried first where nothing is indexed; `{corpus}` in it stands for the name.',
    }),
  }),
  sftp: sftpSettings,
})

/** All settings as the schema gives them, before what depends on several of them is filled in. */
export type Settings = z.output<typeof configSchema>

/** One setting with the names it goes by. */
export interface Setting extends About {
  /** Path in the configuration, e.g. `['http', 'port']`. */
  readonly keys: readonly string[]
  /** Key in `knap.yaml`, e.g. `http.port`. */
  readonly fileKey: string
  readonly flag: string | null
  readonly takes: 'one' | 'switch' | 'several'
  readonly schema: z.ZodType
}

/** Every setting, in the order of the schema. */
export const SETTINGS: readonly Setting[] = settingsBelow(configSchema, [])

function settingsBelow(group: z.ZodObject, above: readonly string[]): Setting[] {
  return Object.entries(group.shape).flatMap(([key, schema]) => {
    const keys = [...above, key]
    if (schema instanceof z.ZodObject) return settingsBelow(schema, keys)
    const facts = about.get(schema as z.ZodType)
    if (facts === undefined) throw new Error(`${keys.join('.')} has no description`)
    const fileKey = keys.map(snakeCase).join('.')
    const flag = facts.flag === undefined ? `--${fileKey.replace(/[._]/g, '-')}` : facts.flag
    return [{ takes: 'one' as const, ...facts, keys, fileKey, flag, schema: schema as z.ZodType }]
  })
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
