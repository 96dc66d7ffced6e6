/** The JSON reader that tells where every value stands. Loaded with the first canvas: most vaults start without one. */
export function jsonTree(): typeof import('jsonc-parser') {
  return require('jsonc-parser')
}
