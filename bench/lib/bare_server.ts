/**
 * A server with nothing behind it, on the transports of the protocol's own library: it lists the same tools as Knap
 * and answers each call with the same few words.
 *
 *   bun bench/lib/bare_server.ts [--http]
 */
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { describeTool } from '../../src/mcp/registry.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

const tools = TOOLS.filter((tool) => !tool.docs).map((tool) => describeTool(tool, 'open')) as never[]
const answer = {
  content: [{ type: 'text' as const, text: '[]' }],
  structuredContent: { results: [], total: 0, truncated: false },
}

function bare(): Server {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({ tools }))
  server.setRequestHandler('tools/call', async () => answer)
  return server
}

if (process.argv.includes('--http')) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const { port } = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
      if (known) return known.handleRequest(request)
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
      })
      await bare().connect(transport)
      return transport.handleRequest(request)
    },
  })
  process.stderr.write(`http://127.0.0.1:${port}/mcp\n`)
} else {
  await bare().connect(new StdioServerTransport(process.stdin, process.stdout))
}
