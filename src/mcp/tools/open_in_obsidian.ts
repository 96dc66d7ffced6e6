import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { openInApplication } from '../../vault/open.ts'
import { path, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const openInObsidian = defineTool({
  name: 'open_in_obsidian',
  title: 'Open in Obsidian',
  description:
    'Shows a note to the user in the Obsidian application on the machine of the server. Reads nothing: note_read.',
  input: z.strictObject({
    path,
    new_leaf: z.boolean().default(false).describe('In a new tab'),
    heading: z.string().optional().describe('Scroll to this heading'),
  }),
  output: z.object({ message: z.string(), path: z.string(), uri: z.string(), warnings }),
  access: 'write',
  localOnly: true,
  async run({ vault, transport, isRemote }, args) {
    if (transport === 'http' && isRemote) {
      throw new VaultError('unavailable', 'Opening the application is for clients on the same machine.', {
        hint: 'Give the user the path instead.',
      })
    }
    if (vault.storage.kind === 'sftp') {
      throw new VaultError('unavailable', 'This vault lies on another machine.', {
        hint: 'Give the user the path instead.',
      })
    }
    const located = await vault.locate(args.path)
    const uri = await openInApplication({
      vault: vault.name,
      path: located.path,
      newLeaf: args.new_leaf,
      heading: args.heading,
    })
    return {
      data: {
        message: `Opened ${located.path}.`,
        path: located.path,
        uri,
        ...(located.warnings.length > 0 ? { warnings: [...located.warnings] } : {}),
      },
    }
  },
})
