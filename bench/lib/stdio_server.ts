import { readdirSync, readFileSync } from 'node:fs'

type Answer = { readonly result?: Record<string, unknown>; readonly error?: { readonly message: string } }

/** Any MCP server over standard input and output, spoken to by hand so that no client library is part of what is measured. */
export class StdioServer {
  readonly #child: ReturnType<typeof spawn>
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  readonly started = performance.now()
  #ids = 0

  /** @param command words; leading `NAME=value` words are its environment */
  constructor(command: string, env: Readonly<Record<string, string>>) {
    const words = command.split(/\s+/).filter((word) => word !== '')
    const own: Record<string, string> = {}
    while (/^[A-Z_]+=/.test(words[0] ?? '')) {
      const word = words.shift() as string
      own[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
    }
    this.#child = spawn(words, { ...process.env, ...env, ...own })
    void this.#listen()
  }

  async #listen(): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of this.#child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter((l) => l.trim() !== '')) {
        const message = JSON.parse(line) as Answer & { id?: number; method?: string }
        if (message.method !== undefined || message.id === undefined) continue
        this.#waiting.get(message.id)?.(message)
        this.#waiting.delete(message.id)
      }
    }
    for (const answer of this.#waiting.values()) answer({ error: { message: 'the server ended' } })
  }

  request(method: string, params: object): Promise<Answer> {
    const id = ++this.#ids
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ jsonrpc: '2.0', id, method, params })
    return answered
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
    this.#child.stdin.flush()
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' }
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  /** The answer as text, and whether it is a failure. */
  async call(name: string, args: object): Promise<{ text: string; failed: boolean }> {
    const { result, error } = await this.request('tools/call', { name, arguments: args })
    return { text: JSON.stringify(result ?? error), failed: error !== undefined || result?.isError === true }
  }

  /** Since the start of the process, in ms. */
  age(): number {
    return performance.now() - this.started
  }

  /** Resident memory of the process and its children in MB; 0 where there is no /proc. */
  memory(): number {
    const parents = new Map<number, number[]>()
    for (const pid of listProcesses()) {
      const parent = Number(readProc(pid, 'stat').split(') ')[1]?.split(' ')[1])
      parents.set(parent, [...(parents.get(parent) ?? []), pid])
    }
    const sum = (pid: number): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) +
      (parents.get(pid) ?? []).reduce((all, child) => all + sum(child), 0)
    return sum(this.#child.pid) / 1024
  }

  /** Ends its input and waits; one that stays is killed. @returns did it end by itself? */
  async stop(): Promise<boolean> {
    this.#child.stdin.end()
    const ended = await Promise.race([this.#child.exited.then(() => true), Bun.sleep(5000).then(() => false)])
    if (!ended) this.#child.kill('SIGKILL')
    await this.#child.exited
    return ended
  }
}

function spawn(words: readonly string[], env: Record<string, string | undefined>) {
  return Bun.spawn([...words], { env, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' })
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
