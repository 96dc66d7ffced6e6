import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { VaultError } from '../../src/errors.ts'
import { parseNote } from '../../src/note/parse.ts'
import { patchNote } from '../../src/note/patch.ts'
import type { PatchRequest } from '../../src/note/patch_request.ts'

/** Notes of every construct, in any order; ids are numbered so that each stands once. */
const piece = fc.constantFrom(
  '# A',
  '## B',
  '## B',
  '### C',
  'Set\next\n===',
  'Two\n---',
  '',
  '',
  '',
  'text',
  'more text  ',
  'words ^ID',
  '- item',
  '- item ^ID',
  '  - child',
  '  - child ^ID',
  '\tdeep',
  '- [ ] task ^ID',
  '1. one',
  '2. two ^ID',
  '> quote',
  '> quote ^ID',
  '> [!note] T\n> in it\n> - li',
  '> # no heading',
  '| a | b |\n| - | - |\n| `## x` | c |',
  '\n^ID\n',
  '```\n# no\n```',
  '~~~js\n^no\n~~~',
  '```\nopen',
  '    code',
  '<div>\n## no\n</div>',
  '<!--\n## no\n-->',
  '%%\n## no\n%%',
  '$$\nx\n$$',
  '***',
  '---',
  '[ref]: x.md',
  '[^1]: note',
  '#tag [[Link#H]]',
)
const note = fc
  .tuple(
    fc.array(piece, { maxLength: 12 }),
    fc.constantFrom('', '---\nk: 1\n---\n', '---\n---\n', '\ufeff', '\ufeff---\nk: 1\n---\n'),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n', '\n\n'),
  )
  .map(([pieces, head, eol, tail]) => {
    let id = 0
    const text = head + pieces.map((one) => one.replace('^ID', () => `^i${id++}`)).join('\n') + tail
    return eol === '\n' ? text : text.replaceAll('\n', '\r\n')
  })
const content = fc
  .array(
    fc.constantFrom(
      'new',
      'words',
      '',
      '- n',
      '  - m',
      '> q',
      '### D',
      '| x |',
      '| - |',
      '```',
      '---',
      '===',
      '    c',
      'x ^n1',
      '<div>',
      '\ttab',
      '1. o',
      '%%',
      '- [ ] t',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.join('\n'))

/** The result, or null where the patch is refused in words. */
function attempt(text: string, request: PatchRequest) {
  try {
    return patchNote(text, request)
  } catch (error) {
    if (error instanceof VaultError && error.code !== 'internal') return null
    throw error
  }
}

const insideOf = (text: string, line: number) => text.split('\n')[line - 1] ?? ''
const shape = (text: string) => text.replaceAll('\r\n', '\n')

describe('whatever stands in a note', () => {
  const operation = fc.constantFrom<PatchRequest['operation']>('append', 'prepend', 'replace')
  const scope = fc.constantFrom<'section' | 'body'>('section', 'body')

  test('a patch under a heading leaves every other heading and block as it is', () => {
    let done = 0
    fc.assert(
      fc.property(note, content, operation, scope, fc.nat(20), (text, words, op, within, pick) => {
        const before = parseNote(text)
        const target = before.headings[pick % Math.max(1, before.headings.length)]
        if (target === undefined) return
        const end = within === 'body' ? target.body.end : target.section.end
        const result = attempt(text, {
          operation: op,
          targetType: 'heading',
          target: target.text,
          line: target.line,
          content: words,
          scope: within,
        })
        if (result === null) return
        done++
        // Bytes outside of the section.
        expect(result.text.startsWith(text.slice(0, target.body.start))).toBe(true)
        expect(result.text.endsWith(text.slice(end))).toBe(true)
        const after = parseNote(result.text)
        const outside = (headings: typeof before.headings, stop: number) =>
          headings
            .filter(({ range }) => range.start <= target.range.start || range.start >= stop)
            .map(({ raw, level }) => `${level} ${raw}`)
        expect(outside(after.headings, end + result.text.length - text.length)).toEqual(
          outside(before.headings, end),
        )
        for (const { id, idRange } of before.blocks) {
          if (op === 'replace' && idRange.start >= target.body.start && idRange.start < end) continue
          expect(after.blocks.some((block) => block.id === id)).toBe(true)
        }
        if (text.includes('\n')) expect(/(?<!\r)\n/.test(result.text)).toBe(/(?<!\r)\n/.test(text))
      }),
      { numRuns: 2000 },
    )
    expect(done).toBeGreaterThan(300)
  })

  test('what was put in, taken out again, leaves the first bytes', () => {
    const kind = fc.constantFrom<PatchRequest['targetType']>('heading', 'block', 'lines')
    let done = 0
    fc.assert(
      fc.property(
        note,
        content,
        fc.constantFrom<'append' | 'prepend'>('append', 'prepend'),
        kind,
        scope,
        fc.nat(20),
        (text, words, op, targetType, within, pick) => {
          const request = requestFor(text, targetType, pick)
          if (request === null) return
          const result = attempt(text, { ...request, operation: op, content: words, scope: within })
          if (result === null) return
          done++
          expect(result.text.slice(0, result.range.start) + result.text.slice(result.range.end)).toBe(text)
          const filled = words.split('\n').filter((line) => line.trim() !== '')
          const put = shape(result.text.slice(result.range.start, result.range.end))
          if (targetType === 'lines') for (const line of filled) expect(put).toContain(line)
        },
      ),
      { numRuns: 2000 },
    )
    expect(done).toBeGreaterThan(300)
  })

  test('writing a section back as it was read changes nothing', () => {
    fc.assert(
      fc.property(note, scope, fc.nat(20), fc.boolean(), (text, within, pick, whole) => {
        const { headings } = parseNote(text)
        const target = headings[pick % Math.max(1, headings.length)]
        if (target === undefined) return
        const end = within === 'body' ? target.body.end : target.section.end
        const read = text.slice(whole ? target.section.start : target.body.start, end)
        const request = {
          operation: 'replace',
          targetType: 'heading',
          target: target.text,
          line: target.line,
          scope: within,
        } as const
        expect(patchNote(text, { ...request, content: read, allowHeadings: true }).text).toBe(text)
        expect(patchNote(text, { ...request, content: shape(read), allowHeadings: true }).text).toBe(text)
      }),
      { numRuns: 1500 },
    )
  })

  test('a block that is changed keeps its id, and others keep theirs', () => {
    let done = 0
    fc.assert(
      fc.property(
        note,
        content,
        fc.constantFrom<PatchRequest['operation']>('append', 'prepend', 'replace', 'delete'),
        fc.nat(20),
        (text, words, op, pick) => {
          const before = parseNote(text)
          const target = before.blocks[pick % Math.max(1, before.blocks.length)]
          if (target === undefined) return
          const result = attempt(text, {
            operation: op,
            targetType: 'block',
            target: target.id,
            content: words,
          })
          if (result === null) return
          done++
          const after = parseNote(result.text)
          const ids = new Set(after.blocks.map(({ id }) => id))
          const gone = op === 'delete' || (op === 'replace' && words.trim() === '')
          expect(ids.has(target.id)).toBe(!gone)
          for (const { id, range } of before.blocks) {
            const inside = range.start >= target.range.start && range.end <= target.range.end
            if (!inside) expect(ids.has(id)).toBe(true)
          }
          expect(after.headings.filter(({ raw }) => !words.includes(raw)).length).toBeGreaterThanOrEqual(
            before.headings.filter(
              ({ raw, range }) =>
                !words.includes(raw) && (range.end <= target.range.start || range.start >= target.range.end),
            ).length,
          )
        },
      ),
      { numRuns: 2000 },
    )
    expect(done).toBeGreaterThan(300)
  })

  test('a heading that is made and deleted again leaves the first bytes', () => {
    fc.assert(
      fc.property(
        note,
        fc.constantFrom('new', '- n', 'a\n\nb'),
        fc.boolean(),
        fc.nat(20),
        (text, words, below, pick) => {
          const { headings } = parseNote(text)
          const parent = below ? headings[pick % Math.max(1, headings.length)] : undefined
          if (
            below &&
            (parent === undefined ||
              parent.level > 5 ||
              parent.raw === '' ||
              headings.filter(({ text: t }) => t === parent.text).length > 1)
          )
            return
          const target = parent === undefined ? 'Brand new' : `${parent.text}::Brand new`
          const result = attempt(text, {
            operation: 'append',
            targetType: 'heading',
            target,
            content: words,
            createIfMissing: true,
          })
          if (result === null) return
          const made = parseNote(result.text).headings.find((heading) => heading.text === 'Brand new')
          // After an open fence nothing is a heading.
          if (made === undefined) return
          expect(made.level).toBe(parent === undefined ? made.level : parent.level + 1)
          expect(insideOf(result.text, made.line)).toContain('# Brand new')
          const back = patchNote(result.text, {
            operation: 'delete',
            targetType: 'heading',
            target: 'Brand new',
          }).text
          expect(back.trimEnd()).toBe(text.trimEnd())
          // Of a body of blank lines it does not matter how many are left.
          if (/\S/.test(text.slice(parseNote(text).frontmatter.bodyStart))) expect(back).toBe(text)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

function requestFor(
  text: string,
  targetType: PatchRequest['targetType'],
  pick: number,
): Pick<PatchRequest, 'targetType' | 'target' | 'line'> | null {
  const { headings, blocks } = parseNote(text)
  if (targetType === 'lines') return { targetType, target: `${1 + (pick % text.split('\n').length)}` }
  if (targetType === 'block') {
    const block = blocks[pick % Math.max(1, blocks.length)]
    return block === undefined ? null : { targetType, target: block.id }
  }
  const heading = headings[pick % Math.max(1, headings.length)]
  return heading === undefined ? null : { targetType, target: heading.text, line: heading.line }
}
