import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import matter from 'gray-matter'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { decodeNote } from '../../src/note/encoding.ts'
import { scanFrontmatter } from '../../src/note/frontmatter.ts'
import { parseNote } from '../../src/note/parse.ts'
import { readAnyYaml } from '../../src/note/yaml.ts'

/**
 * Two independent readers as judges: gray-matter for the property block, mdast for headings, code and links. With
 * KNAP_ORACLE_VAULTS (folders, `:` between) every note of real vaults is judged too.
 */
const vaults = (process.env.KNAP_ORACLE_VAULTS ?? '').split(':').filter(Boolean)
const notes = vaults.flatMap((vault) =>
  (readdirSync(vault, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path: join(vault, path), text: decodeNote(readFileSync(join(vault, path))).text })),
)

const refuse = () => {
  throw new Error('no language but YAML')
}

/** gray-matter with our YAML, no other engine, and no cache (an options object turns it off). */
function judge(text: string): { data: unknown; content: string } {
  const parse = (yaml: string): object => {
    // It cuts before the line feed of the closing fence and leaves the carriage return.
    const reading = readAnyYaml(yaml.replace(/\r$/, ''))
    if (reading.data === null) throw new Error(reading.problems[0]?.message ?? reading.kind)
    return reading.data
  }
  const engine = { parse: refuse, stringify: refuse }
  const engines = {
    yaml: { parse, stringify: refuse },
    json: engine,
    javascript: engine,
    js: engine,
    coffee: engine,
  }
  const { data, content } = matter(text, { engines })
  return { data, content }
}

/** The body as gray-matter gives it: without the line end after the block. */
function ours(text: string): { data: unknown; content: string } {
  const { data, bodyStart } = scanFrontmatter(text)
  return { data: data ?? {}, content: text.slice(bodyStart) }
}

describe('the property block', () => {
  const agreed = [
    '',
    '# A\n',
    '---\na: 1\n---\nx',
    '---\na: 1\n---',
    '---\n---\nx',
    '---\r\na: 1\r\nb: [x, y]\r\n---\r\nx',
    '\ufeff---\ntitle: x\n---\nx',
    '---\ndate: 2024-01-05\nn: 012\nt: 12:30\n---\n\nx\n\n---\n\ny',
    '----\na: 1\n----\n',
    'x\n---\na: 1\n---\n',
  ]
  test.each(agreed)('%s is read as gray-matter reads it', (text) => {
    expect(ours(text)).toEqual(judge(text))
  })

  const different = [
    { text: '---\na: 1\n...\nx', why: 'three dots end a block as well' },
    { text: '---\na: 1\n----\nb: 2\n---\nx', why: 'a fence is exactly three dashes' },
    { text: '---\na: 1\nx', why: 'a block that never closes is none, its text is body' },
    { text: '---\nACME Corp\n---\nx', why: 'what is no mapping is body' },
    { text: '---js\n({ a: 1 })\n---\nx', why: 'no language is named on the fence' },
  ]
  test.each(different)('$text is read differently: $why', ({ text }) => {
    const theirs = (() => {
      try {
        return judge(text)
      } catch {
        return null
      }
    })()
    expect(ours(text)).not.toEqual(theirs as ReturnType<typeof judge>)
  })

  test('a note that begins with ---js is never executed', () => {
    const flag = globalThis as { executed?: boolean }
    const text =
      '---js\n{ get a() { globalThis.executed = true; return 1 }, b: (globalThis.executed = true) }\n---\nx'
    parseNote(text)
    expect(() => judge(text)).toThrow('no language but YAML')
    expect([flag.executed, scanFrontmatter(text).kind]).toEqual([undefined, 'absent'])
  })

  if (notes.length > 0)
    test('every real note with a sound block agrees', () => {
      const wrong = notes.filter(({ text }) => {
        const { kind } = scanFrontmatter(text)
        return (kind === 'mapping' || kind === 'empty') && !Bun.deepEquals(ours(text), judge(text))
      })
      expect(wrong.map(({ path }) => path)).toEqual([])
    })
})

interface TheirNode {
  readonly type: string
  readonly url?: string
  readonly children?: readonly TheirNode[]
}

interface Structure {
  readonly headings: string[]
  readonly links: string[]
}

function theirStructure(body: string, linesBefore: number): Structure {
  const tree = fromMarkdown(body)
  const headings = tree.children.flatMap((node) =>
    node.type === 'heading' ? [`${node.depth}@${(node.position?.start.line ?? 0) + linesBefore}`] : [],
  )
  const links: string[] = []
  const visit = (node: TheirNode): void => {
    const { type, url, children } = node
    const points = type === 'link' || type === 'image' || type === 'definition'
    if (points && url !== undefined && isInside(url)) links.push(decoded(url))
    children?.forEach(visit)
  }
  visit(tree)
  return { headings, links: links.sort() }
}

const isInside = (url: string) => !/^(?:[a-z][a-z0-9+.-]+:|\/\/|#?$)/i.test(url)

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

function ourStructure(text: string): Structure {
  const { headings, links } = parseNote(text)
  return {
    headings: headings.map(({ level, line }) => `${level}@${line}`),
    links: links
      .filter(({ kind, property }) => kind.startsWith('markdown') && property === null)
      .map(({ target, fragment }) => (fragment === null ? target : `${target}#${fragment}`))
      .sort(),
  }
}

describe('headings and links', () => {
  const agreed = [
    '# a\n## b ##\n### c #\n#d\n####### e\n #  f\n',
    'a\n=\n\nb\n-\n\nc\nd\n---\n\n- - -\n\n> q\n---\n\n- l\n---\n',
    '    # code\n\n```\n# code\n```\n\n~~~ x\n# code\n~~~~\n\n# yes\n',
    '````\n```\n# code\n````\n\n- ```\n  # code\n# yes\n',
    '```\nnever closed\n# code\n',
    '> # quoted\n\n- # item\n\n1. # item\n\n1) a\n   # item\n',
    '<div>\n# html\n\n# yes\n</div>\n\n<!-- \n# no\n-->\n# yes\n\n<pre>\n# no\n\n# no\n</pre>\n# yes\n',
    '[a](b.md) ![c](d.png "t") [e](<f g.md>) [h](i(j).md) [k](l m.md) [n]( o.md ) [p](q.md\n"t")\n',
    '[a\n](b.md) \\[c](d.md) [e](f\\).md) `[g](h.md)` ``[i](j.md)` `` [k [l](m.md)](n.md) [![o](p.png)](q.md)\n',
    '<b c="[d](e.md)"> <!-- [f](g.md) --> [h](i%20j.md#k) [l](#m) [n]() [o](https://p.q)\n',
    '[a]: b.md\n[c]: <d e.md> "t"\n[f]:\ng.md\n[h]: i.md\n"t"\nnot [j]: k.md\n\n[l]: m n\n',
    '*a [b*](c.md) **[d](e.md)** [*f](g.md)*\n\n| [a](b.md) |\n\n> [q](r.md)\n> s](t.md)\n',
    'x\n    [y](z.md)\n\n    [no](code.md)\n\n- a\n\n      [no](code.md)\n\n  [u](v.md)\n',
    'a\\\n# b\n***\n#\tc\n##\n',
    '[a](b.md)[c](d.md)[e][f](g.md) ! [h](i.md) [j] (k.md) [l](m.md "n)\n',
  ]
  test.each(agreed)('%s has the structure that mdast sees', (text) => {
    expect(ourStructure(text)).toEqual(theirStructure(text, 0))
    expect(ourStructure(text.replaceAll('\n', '\r\n'))).toEqual(theirStructure(text, 0))
  })

  if (notes.length > 0)
    test('every real note agrees, what the application alone knows excepted', () => {
      const wrong = notes.filter(({ text }) => {
        const { bodyStart } = scanFrontmatter(text)
        const before = text.slice(0, bodyStart).split('\n').length - 1
        // Unknown to CommonMark: comments in %% (text there), footnotes (definitions there), [[wikilinks]](links there).
        if (/^\s*%%/m.test(text) || /\[\^[^\]]+\]:|\]\]\(/.test(text)) return false
        return !Bun.deepEquals(ourStructure(text), theirStructure(text.slice(bodyStart), before))
      })
      expect(wrong.map(({ path }) => path)).toEqual([])
    }, 600_000)
})
