import { expect, test } from 'bun:test'
import { mediaTypeOf } from '../../src/note/media_type.ts'

const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0))

test.each<[path: string, head: string | undefined, right: string]>([
  ['a/b.PNG', undefined, 'image/png'],
  ['a.jpg', '\x89PNG\r\n\x1a\n', 'image/png'],
  ['a.png', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['a', 'GIF89a', 'image/gif'],
  ['a.webp', 'RIFF\x10\x00\x00\x00WEBPVP8 ', 'image/webp'],
  ['a.wav', 'RIFF\x10\x00\x00\x00WAVEfmt ', 'audio/wav'],
  ['a.svg', '<svg xmlns', 'image/svg+xml'],
  ['a.pdf', '%PDF-1.7', 'application/pdf'],
  ['a.docx', 'PK\x03\x04', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['a.png', 'PK\x03\x04', 'application/zip'],
  ['a.m4a', '\x00\x00\x00\x20ftypM4A ', 'audio/mp4'],
  ['a.avif', '\x00\x00\x00\x20ftypavif', 'image/avif'],
  ['a.mkv', '\x1a\x45\xdf\xa3', 'video/x-matroska'],
  ['a.unknown', 'hello', 'application/octet-stream'],
  ['noextension', '', 'application/octet-stream'],
])('%s that begins with %j is %s', (path, head, right) => {
  expect(mediaTypeOf(path, head === undefined ? undefined : latin(head))).toBe(right)
})
