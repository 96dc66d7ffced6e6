/** Asks a server over HTTP what a client asks first: `initialize`, then one tool. Ends with 0 where the answers are right. */

const url = process.argv[2] ?? ''

async function post(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  })
}

/** The JSON of an answer, which may come as one event of a stream. */
async function messageOf(response: Response): Promise<{ result?: Record<string, unknown> }> {
  const text = await response.text()
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .at(-1)
  return JSON.parse(data === undefined ? text : data.slice(5))
}

const hello = await post({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ci', version: '1' } },
})
const { result } = await messageOf(hello)
const session = hello.headers.get('mcp-session-id')
const headers = {
  'mcp-protocol-version': String(result?.protocolVersion),
  ...(session ? { 'mcp-session-id': session } : {}),
}
await post({ method: 'notifications/initialized' }, headers)
const call = { name: 'vault_list', arguments: { path: 'Projects' } }
const answer = await messageOf(await post({ id: 2, method: 'tools/call', params: call }, headers))
const text = JSON.stringify(answer.result)
const right = text?.includes('Projects/New Oven.md') === true && answer.result?.isError !== true
console.log(
  right ? 'initialize and vault_list are answered' : `wrong answer: ${JSON.stringify(answer).slice(0, 500)}`,
)
process.exit(right ? 0 : 1)

export {}
