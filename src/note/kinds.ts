import { extensionOf, type VaultPath } from './path.ts'

/** `note`: Markdown; `text`: other files that are read and written as text; `attachment`: everything else. */
export type FileKind = 'note' | 'text' | 'attachment'

const TEXT = new Set(
  'canvas base txt text json jsonl csv tsv yaml yml toml ini css html htm xml js mjs ts py sh rst org tex bib log srt vtt'.split(
    ' ',
  ),
)

const ATTACHMENT = new Set(
  `png jpg jpeg gif bmp svg webp avif heic tif tiff ico
   mp3 wav m4a ogg oga opus 3gp flac aac webm mp4 ogv mov mkv avi
   pdf doc docx xls xlsx ppt pptx odt ods odp epub mobi rtf
   zip gz tgz tar 7z rar excalidraw drawio psd ai sketch ttf otf woff woff2 exe dll so db sqlite bin`.split(
    /\s+/,
  ),
)

export function kindOf(path: VaultPath): FileKind {
  const extension = extensionOf(path)
  if (extension === 'md') return 'note'
  return TEXT.has(extension) ? 'text' : 'attachment'
}

/** Does the name end in an extension that means a file type (`v1.2` and `1. Project` do not)? */
export function hasKnownExtension(path: VaultPath): boolean {
  const extension = extensionOf(path)
  return extension === 'md' || TEXT.has(extension) || ATTACHMENT.has(extension)
}
