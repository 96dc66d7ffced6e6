import type { Fragment } from './fragments.ts'

/** A name of a program: letters of both cases inside (`registerView`), a `_`, a digit behind letters, or a `.` or `()`. */
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?/gu

/** The symbols that a question names exactly, each once. `Obsidian` and `API` are words. */
export function symbolsIn(query: string): string[] {
  const names = query.match(NAME) ?? []
  return [...new Set(names.filter(isSymbol).map((name) => name.replace(/\(\)$/, '')))]
}

function isSymbol(name: string): boolean {
  if (/\(\)$|_|\$/.test(name)) return name.length > 3
  if (name.includes('.')) return /\p{Ll}\p{Lu}|^\p{Lu}\p{L}+\./u.test(name)
  return /\p{Ll}\p{Lu}/u.test(name)
}

/** How much a fragment is about the symbols: the title or its own heading is one (3), names one (2), its text does (1). */
export function symbolRank({ title, headings, text }: Fragment, symbols: readonly string[]): number {
  return symbols.reduce((sum, symbol) => {
    const own = headings.at(-1) ?? ''
    if (bare(title) === symbol || bare(own) === symbol) return sum + 3
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped(symbol)}(?![\\p{L}\\p{N}_$])`, 'u')
    if (pattern.test(title) || pattern.test(own)) return sum + 2
    return pattern.test(text) ? sum + 1 : sum
  }, 0)
}

/** `registerView()` and `` `registerView` `` are the symbol itself. */
function bare(name: string): string {
  return name.replace(/[`\s]/g, '').replace(/\(.*\)$/, '')
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
