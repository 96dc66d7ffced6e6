export interface AddressStyle {
  /** What stood there, as written. */
  readonly old: string
  /** It stands in `<…>`, where blanks and brackets need no encoding. */
  readonly pointed: boolean
}

/**
 * A path as the address of a Markdown link. Encoded is what would end the address or be read as something else: blanks,
 * `%`, `#`, brackets of both kinds, control characters; other scripts only where the old address had them encoded.
 */
export function writeAddress(path: string, { old, pointed }: AddressStyle): string {
  const written = encoded(
    path,
    pointed ? /[%#<>\\]|[\0-\x1f\x7f]/g : /[\s%#()[\]<>\\|]|[\0-\x1f\x7f]/g,
  ).replace(/&(?=amp;)/g, '%26')
  const plain = /%[89a-f]/i.test(old) ? encoded(written, /[^\0-\x7f]+/g) : written
  // `Plan: x.md` must not look like an address with a scheme.
  return /^[a-z][a-z0-9+.-]+:/i.test(plain) ? plain.replace(':', '%3A') : plain
}

/** A fragment without its first `#`, as it stands in the address of a Markdown link. */
export function writeFragment(fragment: string, pointed: boolean): string {
  return encoded(fragment, pointed ? /[%<>\\]|[\0-\x1f\x7f]/g : /[\s%()[\]<>\\|]|[\0-\x1f\x7f]/g)
}

function encoded(text: string, what: RegExp): string {
  return text.toWellFormed().replace(what, (part) =>
    // The function for components leaves some ASCII characters bare.
    part.length === 1 && part.charCodeAt(0) < 0x80
      ? `%${part.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(part),
  )
}
