import type { RegexSearcher } from '../search/regex.ts'
import type { QuickSwitcher } from './find.ts'
import type { Vault } from './vault.ts'

/** Searchers that cost something to load or to build: made when first asked for, and then kept up to date. */
export class LazySearchers {
  readonly #vault: Vault
  #regex: RegexSearcher | null = null
  #switcher: QuickSwitcher | null = null

  constructor(vault: Vault) {
    this.#vault = vault
  }

  async regex(): Promise<RegexSearcher> {
    const { createRegexSearcher } = await import('../search/regex.ts')
    this.#regex ??= createRegexSearcher()
    return this.#regex
  }

  async switcher(): Promise<QuickSwitcher> {
    const { QuickSwitcher } = await import('./find.ts')
    this.#switcher ??= this.#follow(new QuickSwitcher(() => this.#notes()))
    return this.#switcher
  }

  close(): void {
    this.#regex?.close()
  }

  *#notes() {
    for (const { path, mtimeMs, facts } of this.#vault.catalogue.notes()) {
      yield { path, mtimeMs, aliases: facts?.aliases ?? [], headings: facts?.headings ?? [] }
    }
  }

  #follow(switcher: QuickSwitcher): QuickSwitcher {
    this.#vault.onChange((paths) => {
      for (const path of paths) {
        const file = this.#vault.catalogue.get(path)
        if (file?.kind === 'note') switcher.put({ path, aliases: file.facts?.aliases ?? [] })
        else if (file === undefined) switcher.remove(path)
      }
    })
    return switcher
  }
}
