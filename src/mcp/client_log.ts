import type { InputRequiredResult, LoggingLevel, ServerContext } from '@modelcontextprotocol/server'
import type { CallResult } from './result.ts'

const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

interface Called {
  readonly tool: string
  readonly ms: number
  readonly answer: CallResult | InputRequiredResult
}

/** What a client is told of its own calls, where it asks for that; without being asked nothing is sent. */
export class ClientLog {
  readonly #isModern: boolean
  #level: LoggingLevel | null = null

  /** @param isModern each request says itself what it wants to be told */
  constructor(isModern: boolean) {
    this.#isModern = isModern
  }

  setLevel(level: LoggingLevel): Record<string, never> {
    this.#level = level
    return {}
  }

  /** A call was answered: failures of the server are errors, other ones and warnings are warnings. */
  called(context: ServerContext, { tool, ms, answer }: Called): void {
    if (!this.#isModern && this.#level === null) return
    const code = codeOf(answer as CallResult)
    const warnings = (answer as CallResult).structuredContent?.warnings
    const hasWarnings = Array.isArray(warnings) && warnings.length > 0
    const level = code === 'internal' ? 'error' : code !== null || hasWarnings ? 'warning' : 'info'
    this.#send(context, level, {
      tool,
      ms: Math.round(ms),
      ...(code === null ? {} : { code }),
      ...(hasWarnings ? { warnings } : {}),
    })
  }

  #send(context: ServerContext, level: LoggingLevel, data: Record<string, unknown>): void {
    const sent = this.#isModern
      ? context.mcpReq.log(level, data, 'knap')
      : this.#isWanted(level)
        ? context.mcpReq.notify({ method: 'notifications/message', params: { level, logger: 'knap', data } })
        : Promise.resolve()
    // A client that is gone needs no log.
    sent.catch(() => {})
  }

  #isWanted(level: LoggingLevel): boolean {
    return this.#level !== null && LEVELS.indexOf(level) >= LEVELS.indexOf(this.#level)
  }
}

function codeOf({ isError, content }: CallResult): string | null {
  const first = content?.[0]
  if (isError !== true || first?.type !== 'text') return null
  try {
    return String((JSON.parse(first.text) as { code?: unknown }).code)
  } catch {
    return 'internal'
  }
}
