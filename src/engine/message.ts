import type { RepeatableCalls } from './greeting.ts'

/** What a client's process must know of a message that passes through it. */
export type Passing =
  | PassingRequest
  | { readonly kind: 'notification'; readonly method: string; readonly cancels: string | null }
  /** An answer of the client, or nothing that the protocol knows: the engine says what it thinks of it. */
  | { readonly kind: 'other' }

export interface PassingRequest {
  readonly kind: 'request'
  readonly id: string
  readonly method: string
  readonly call: PassingCall | null
  /** The resource that it is about, where it is about one. */
  readonly uri: string | null
  /** The client speaks the protocol of 2026-07-28. */
  readonly isModern: boolean
}

/** A call of a tool. */
export interface PassingCall {
  readonly tool: string
  readonly action: string | null
}

/** Looks at a message on its way. Ids are JSON: `1` and `"1"` differ. */
export function readPassing(line: Buffer): Passing {
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch {
    return { kind: 'other' }
  }
  return passingOf(value)
}

/**
 * May a request be sent again although the first may have been carried out? Everything but calls of tools only looks
 * or says the same twice; of calls those that are known to change nothing.
 */
export function isRepeatable(
  { call }: { readonly call: PassingCall | null },
  calls: RepeatableCalls,
): boolean {
  if (call === null) return true
  const known = Object.hasOwn(calls, call.tool) ? calls[call.tool] : undefined
  if (known === undefined) return false
  return known === true || (call.action !== null && known.includes(call.action.toLowerCase()))
}

/** What a client is told of a change whose engine has ended: whether it was done is not known. */
export function unknownOutcome(request: PassingRequest): Buffer {
  return failed(request, {
    message: `The server ended while ${request.call?.tool} was under way: whether the change was made is not known, and it was not repeated.`,
    hint: 'Read the note again (note_read; history lists what was changed), and repeat the call only where the change is missing.',
  })
}

/** What a client is told where one engine after the other has ended over the same request. */
export function givenUp(request: PassingRequest): Buffer {
  return failed(request, {
    message: `The server ended several times while ${request.call?.tool ?? request.method} was under way.`,
    hint: 'Ask for less at once, or look into the log of the server.',
  })
}

function failed({ id, call, isModern }: PassingRequest, what: { message: string; hint: string }): Buffer {
  if (call === null) {
    const error = { code: -32603, message: what.message }
    return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`)
  }
  const result = {
    ...(isModern ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text: JSON.stringify({ code: 'unavailable', ...what }) }],
    isError: true,
  }
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`)
}

function passingOf(value: unknown): Passing {
  if (!isObject(value)) return { kind: 'other' }
  const { id, method, params } = value
  if (typeof method !== 'string') return { kind: 'other' }
  const given = isObject(params) ? params : {}
  if (typeof id === 'string' || typeof id === 'number') {
    return {
      kind: 'request',
      id: JSON.stringify(id),
      method,
      call: method === 'tools/call' ? callOf(given) : null,
      uri: typeof given.uri === 'string' ? given.uri : null,
      isModern: isObject(given._meta) && 'io.modelcontextprotocol/protocolVersion' in given._meta,
    }
  }
  const cancelled = method === 'notifications/cancelled' ? given.requestId : undefined
  return { kind: 'notification', method, cancels: cancelled === undefined ? null : JSON.stringify(cancelled) }
}

function callOf({ name, arguments: args }: Record<string, unknown>): PassingCall {
  const action = isObject(args) ? args.action : undefined
  return { tool: String(name), action: typeof action === 'string' ? action : null }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
