import { extensionOf, type VaultPath } from './path.ts'

/**
 * The MIME type of a file: by its first bytes where they are telling (a PNG that is called `.jpg` is a PNG), else by
 * its extension, else `application/octet-stream`.
 * @param bytes at least the first 16 bytes where there are so many; none to go by the name alone
 */
export function mediaTypeOf(path: VaultPath, bytes?: Uint8Array): string {
  const named = BY_EXTENSION[extensionOf(path)]
  const seen = bytes === undefined ? null : bySignature(bytes)
  // A container says less than a name that stands for one of its kinds: docx in zip, m4a in mp4.
  if (seen !== null && !(CONTAINERS.has(seen) && named !== undefined && !named.startsWith('image/')))
    return seen
  return named ?? 'application/octet-stream'
}

const CONTAINERS = new Set(['application/zip', 'video/mp4', 'video/webm', 'audio/ogg'])

const BY_EXTENSION: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  heic: 'image/heic',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  '3gp': 'audio/3gpp',
  aac: 'audio/aac',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  ogv: 'video/ogg',
  webm: 'video/webm',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  epub: 'application/epub+zip',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  gz: 'application/gzip',
  '7z': 'application/x-7z-compressed',
  tar: 'application/x-tar',
  zip: 'application/zip',
  otf: 'font/otf',
  ttf: 'font/ttf',
  woff: 'font/woff',
  woff2: 'font/woff2',
}

/** Offset, bytes there (latin-1), type. @see https://mimesniff.spec.whatwg.org/ */
const SIGNATURES: readonly (readonly [at: number, signature: string, type: string])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [8, 'WEBPVP', 'image/webp'],
  [8, 'WAVE', 'audio/wav'],
  [4, 'ftypavif', 'image/avif'],
  [4, 'ftypheic', 'image/heic'],
  [4, 'ftypheix', 'image/heic'],
  [4, 'ftypmif1', 'image/heic'],
  [4, 'ftypqt', 'video/quicktime'],
  [4, 'ftyp', 'video/mp4'],
  [0, '\x00\x00\x01\x00', 'image/x-icon'],
  [0, 'II*\x00', 'image/tiff'],
  [0, 'MM\x00*', 'image/tiff'],
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'ID3', 'audio/mpeg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'OggS', 'audio/ogg'],
  [0, '\x1a\x45\xdf\xa3', 'video/webm'],
]

function bySignature(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  return SIGNATURES.find(([at, signature]) => head.startsWith(signature, at))?.[2] ?? null
}
