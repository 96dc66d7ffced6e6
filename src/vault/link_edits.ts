import { extensionOf } from '../note/path.ts'
import { rewriteCanvas } from '../note/recanvas.ts'
import { rewriteLinks } from '../note/relink.ts'
import type { TextEdit } from './edit_types.ts'
import type { FileRewrite } from './moves.ts'

/** The edit that carries out the changes of links in one file: a note, or the cards of a canvas. */
export function linkEdit({ path, rewrite, cards }: FileRewrite): TextEdit {
  const isCanvas = extensionOf(path) === 'canvas'
  return {
    path,
    mode: 'replace',
    edit: (before) => {
      const text = before?.text ?? ''
      return isCanvas
        ? {
            text: rewriteCanvas(text, {
              card: (file) => cards.get(file) ?? null,
              fragment: (target, fragment) => rewrite({ kind: 'embed', target, fragment })?.fragment ?? null,
              link: rewrite,
            }).text,
          }
        : { text: rewriteLinks(text, rewrite).text }
    },
  }
}
