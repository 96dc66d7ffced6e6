/** The revision of a file: the SHA-256 of its raw bytes as 64 lower-case hexadecimal digits. */
export function revisionOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}
