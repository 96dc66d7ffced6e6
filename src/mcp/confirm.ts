import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { VaultError } from '../errors.ts'

const KEY = 'confirm'

const FORM = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Yes, do it', default: true } },
} as const

/**
 * Asks the person in front of the client, whose client must be able to show a form.
 * @param question what will happen, in one sentence
 * @returns what to answer the client with, or null: go on
 * @throws VaultError `bad_argument` where the answer is no
 */
export function askFirst(context: ServerContext, question: string): InputRequiredResult | null {
  const answer = inputResponse(context.mcpReq.inputResponses, KEY)
  if (answer.kind === 'missing') {
    return inputRequired({
      inputRequests: { [KEY]: inputRequired.elicit({ message: question, requestedSchema: FORM as never }) },
    })
  }
  if (answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.confirm !== false) return null
  throw new VaultError('bad_argument', 'The user did not agree; nothing was changed.', {
    hint: 'Do not try it again; ask the user what to do instead.',
  })
}

/** Can the client show a form? `{}` is how clients said so before there were other kinds. */
export function canShowForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation as { form?: unknown; url?: unknown } | undefined
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
