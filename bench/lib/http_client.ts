/** A 2025-era client over Streamable HTTP, by hand: one session, requests one after the other or at once. */
export class HttpClient {
  readonly #url: string
  #headers: Record<string, string> = {}
  #ids = 0

  private constructor(url: string) {
    this.#url = url
  }

  static async connect(url: string): Promise<HttpClient> {
    const client = new HttpClient(url)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    }
    const hello = await client.#post({ id: ++client.#ids, method: 'initialize', params })
    const session = hello.headers.get('mcp-session-id')
    await hello.text()
    client.#headers = {
      'mcp-protocol-version': '2025-11-25',
      ...(session === null ? {} : { 'mcp-session-id': session }),
    }
    await (await client.#post({ method: 'notifications/initialized' })).text()
    return client
  }

  #post(message: object): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  }

  /** One request; the message that answers it. */
  async request(method: string, params: object): Promise<Answer> {
    const body = await (await this.#post({ id: ++this.#ids, method, params })).text()
    const event = body
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .at(-1)
    return JSON.parse(event === undefined ? body : event.slice(5)) as Answer
  }

  /** The structured answer, or the code of the failure. */
  async call(name: string, args: object): Promise<{ data: Record<string, unknown>; code: string | null }> {
    const { result, error } = await this.request('tools/call', { name, arguments: args })
    if (error) return { data: {}, code: `protocol ${error.code}` }
    if (result?.isError === true)
      return { data: {}, code: (JSON.parse(result.content?.[0]?.text ?? '{}') as { code: string }).code }
    return { data: result?.structuredContent ?? {}, code: null }
  }
}

interface Answer {
  readonly error?: { readonly code: number }
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text?: string }[]
    readonly structuredContent?: Record<string, unknown>
  }
}
