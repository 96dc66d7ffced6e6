/**
 * Variables of the server obsidian-mcp that steer parts which this one does not have (its search library, its
 * daemon). People keep them in shared settings: they are accepted, and do nothing.
 */
export const IGNORED_VARIABLES: ReadonlySet<string> = new Set([
  'OBSIDIAN_TANTIVY',
  'OBSIDIAN_SEMANTIC_MODE',
  'OBSIDIAN_SEMANTIC_MODEL',
  'OBSIDIAN_SEMANTIC_HOME',
  'OBSIDIAN_SEMANTIC_DAEMON_PATH',
  'OBSIDIAN_SEMANTIC_DAEMON_DOWNLOAD_URL',
  'OBSIDIAN_SEMANTIC_ENDPOINT',
  'OBSIDIAN_SEMANTIC_CONNECT_TIMEOUT_MS',
  'OBSIDIAN_SEMANTIC_CONNECT_RETRIES',
  'OBSIDIAN_SEMANTIC_RETRY_BACKOFF_MS',
  'FASTEMBED_CACHE_DIR',
])
