import { z } from 'zod'
import type { Library } from '../docs/library.ts'
import { VaultError } from '../errors.ts'
import type { Tool } from './tool.ts'

/** What the tools of documentation tell of the reindex that runs. */
export const progressFields = {
  in_progress: z.boolean(),
  reindexing: z.array(z.string()),
  started_at: z.string().optional(),
  progress: z
    .object({ corpus: z.string(), phase: z.string(), done: z.number(), total: z.number().optional() })
    .optional(),
}

/**
 * The tools that can be offered: those about manuals only where there are some, each tied to them.
 * @param library null where no corpus is set up
 */
export function withLibrary(tools: readonly Tool[], library: (() => Promise<Library>) | null): Tool[] {
  if (library === null) return tools.filter((tool) => !tool.docs)
  return tools.map((tool) => {
    if (!tool.docs) return tool
    return { ...tool, run: async (context, args) => tool.run({ ...context, docs: await library() }, args) }
  })
}

/** @throws VaultError `not_configured` without a corpus; the tools are not offered then */
export function libraryOf(docs: Library | undefined): Library {
  if (docs !== undefined) return docs
  throw new VaultError('not_configured', 'No documentation corpus is set up.', {
    hint: 'Name one under docs.corpora in knap.yaml.',
  })
}
