import { readFileSync } from 'node:fs'

/** A server in a process of its own, which names its address on standard error. */
export interface HttpProcess {
  readonly url: string
  /** Resident memory in MB; 0 where there is no /proc. */
  memory(): number
  stop(): Promise<void>
}

export async function startHttpProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<HttpProcess> {
  const child = Bun.spawn([...words], { env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const reader = child.stderr.getReader()
  let log = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the server ended before it listened:\n${log}`)
    log += new TextDecoder().decode(value)
    const url = /http:\/\/[^\s]+\/mcp/.exec(log)?.[0]
    if (url === undefined) continue
    void (async () => {
      while (!(await reader.read()).done);
    })()
    return {
      url,
      memory: () => residentMb(child.pid),
      stop: async () => {
        child.kill()
        await child.exited
      },
    }
  }
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
