import { openLogFile } from './cli/log_file.ts'
import { writeService } from './cli/service.ts'
import { run } from './program.ts'
import { placeOf } from './terminal.ts'
import { ownIdentity } from './vault/process_identity.ts'

/**
 * The server that `knap serve` starts: it logs into a file, and writes itself down when it listens.
 * @param words the token that it is known by, the file to write itself into, its log, then what `knap run` takes
 * @returns the exit code
 */
export async function startService(words: readonly string[]): Promise<number> {
  const [token = '', file = '', logFile = '', ...args] = words
  const write = openLogFile(logFile)
  // What a library or the runtime prints belongs into the log too; nobody reads the streams.
  process.stderr.write = ((text: string) => {
    write(text.endsWith('\n') ? text : `${text}\n`)
    return true
  }) as typeof process.stderr.write
  return await run(['run', '--http', ...args], {
    settled: () => {},
    join: async () => 1,
    service: {
      token,
      write,
      onListening: (url, { vaults }) =>
        writeService(file, {
          process: { ...ownIdentity(), token },
          url,
          since: Date.now(),
          log: logFile,
          args,
          cwd: process.cwd(),
          vaults: vaults.map(placeOf),
        }),
    },
  })
}
