import type { Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { log } from '../logger.ts'
import { createServer, type ServeOptions } from './server.ts'

/** The largest message taken, in bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/**
 * Serves one client over standard input and output.
 * @returns a promise that resolves when the client is gone: its input ended, or its output is closed
 */
export function serveOverStdio(options: Omit<ServeOptions, 'transport'>): Promise<void> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  })
  return new Promise((resolve) => {
    process.stdin.once('end', () => resolve())
    process.stdin.once('close', () => resolve())
    process.stdout.once('error', () => resolve())
    serveTransport(options, transport)
  })
}

/** Serves one client of this machine over a transport of its own. */
export function serveTransport(options: Omit<ServeOptions, 'transport'>, transport: Transport): void {
  serveStdio(
    ({ era }) =>
      createServer({ ...options, transport: 'stdio', isLasting: true, isModern: era === 'modern' }),
    {
      transport,
      onerror: (error) => log.debug('protocol error', error),
    },
  )
}
