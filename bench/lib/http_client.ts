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

  /** The structured answer, or the code of the failure. */
  async call(name: string, args: object): Promise<{ data: Record<string, unknown>; code: string | null }> {
    const body = await (
      await this.#post({ id: ++this.#ids, method: 'tools/call', params: { name, arguments: args } })
    ).text()
    const event = body
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .at(-1)
    const { result, error } = JSON.parse(event === undefined ? body : event.slice(5))
    if (error) return { data: {}, code: `protocol ${error.code}` }
    if (result.isError === true) return { data: {}, code: JSON.parse(result.content[0].text).code }
    return { data: result.structuredContent, code: null }
  }
}
