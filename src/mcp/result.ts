import { VaultError } from '../errors.ts'
import { visible } from '../text/visible.ts'
import type { ContentBlock, ToolAnswer } from './tool.ts'

export interface CallResult {
  content: ContentBlock[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  [key: string]: unknown
}

/** A tool's answer as the protocol wants it; `warnings` are those of reading the arguments. */
export function resultOf(
  answer: ToolAnswer<Record<string, unknown>>,
  warnings: readonly string[],
): CallResult {
  const data = warnings.length === 0 ? answer.data : withWarnings(answer.data, warnings)
  const content: ContentBlock[] = [
    { type: 'text', text: answer.text ?? textOf(data) },
    ...(answer.blocks ?? []),
  ]
  if (warnings.length > 0) content.push({ type: 'text', text: warnings.map(visible).join('\n') })
  return { content, structuredContent: data }
}

function withWarnings(data: Record<string, unknown>, warnings: readonly string[]): Record<string, unknown> {
  const own = Array.isArray(data.warnings) ? data.warnings : []
  return { ...data, warnings: [...own, ...warnings] }
}

/**
 * The text beside a structured answer: the content of a read, a compact JSON array of a collection, the sentence
 * and the diff of a change, else compact JSON. Names in it are one line each, whatever they hold.
 */
function textOf(data: Record<string, unknown>): string {
  if (Array.isArray(data.results)) return JSON.stringify(data.results)
  if (typeof data.message === 'string') return changeText(data)
  if (typeof data.content === 'string') return data.content
  return JSON.stringify(data)
}

function changeText(data: Record<string, unknown>): string {
  const lines = [visible(String(data.message))]
  if (typeof data.revision === 'string') lines.push(`revision: ${data.revision}`)
  if (Array.isArray(data.warnings)) lines.push(...data.warnings.map((w) => `warning: ${visible(String(w))}`))
  if (typeof data.diff === 'string' && data.diff !== '') lines.push('', data.diff)
  return lines.join('\n')
}

/** A failure as a tool result: one JSON object `{code, message, hint, …}`. */
export function failureOf(error: VaultError): CallResult {
  const { code, message, hint, details } = error
  return {
    content: [{ type: 'text', text: JSON.stringify({ code, message, hint, ...details }) }],
    isError: true,
  }
}

/** What a bug is answered with; the whole of it belongs into the log. */
export function internalFailure(): CallResult {
  return failureOf(
    new VaultError(
      'internal',
      'Something went wrong inside the server; the vault was not harmed by the failed step.',
      {
        hint: 'Try once more; if it fails again, the server log has the details.',
      },
    ),
  )
}
