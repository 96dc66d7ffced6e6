/** Control characters, line separators and marks that turn the direction of text. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** A name as one harmless line of text: what would end the line or steer a terminal is written out (`\n`, `\u001b`). */
export function visible(name: string): string {
  return name.replace(INVISIBLE, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\r') return '\\r'
    if (character === '\t') return '\\t'
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
