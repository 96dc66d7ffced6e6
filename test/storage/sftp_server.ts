import * as fs from 'node:fs'
import { type AddressInfo, connect as connectTo, type Server, type Socket } from 'node:net'
import ssh2, { type AuthContext, type SFTPWrapper } from 'ssh2'

/**
 * - `cut`: the connection ends and nothing is done; `cut_after`: it is done, and the connection ends before the answer
 * - `silent`: nothing is done or answered; a number: that status is the answer
 */
export type Action = 'cut' | 'cut_after' | 'silent' | number

export interface ServerOptions {
  /** Advertised extensions; all that the server knows by default. */
  readonly extensions?: readonly string[]
  /** What goes wrong at a request: its name in the protocol and the path, if it has one. Read at each request. */
  fault?: ((request: string, path: string) => Action | undefined) | undefined
  /** Milliseconds before each answer. */
  delayMs?: number
  /** Most bytes in one answer to a READ. */
  readonly mostRead?: number
  /** Says that a WRITE was done and stores only so many of its bytes. */
  lossyWrite?: number | undefined
  /** What statvfs answers. */
  freeBytes?: number
  readonly hostKey?: string
  /** Decides on an attempt to log in; everybody may by default. */
  readonly login?: (attempt: AuthContext) => boolean
}

export interface TestServer {
  readonly port: number
  /** Every request with its path, in order. */
  readonly requests: string[]
  /** Most requests that were under way at once. */
  mostAtOnce: number
  readonly options: ServerOptions
  /** Ends every connection. */
  cut(): void
  close(): Promise<void>
}

const ALL_EXTENSIONS = [
  'posix-rename@openssh.com',
  'hardlink@openssh.com',
  'fsync@openssh.com',
  'statvfs@openssh.com',
]

const { OPEN_MODE, STATUS_CODE, flagsToString } = ssh2.utils.sftp

/** An SSH server in this process that shows the files of this machine under their absolute paths. */
export async function sftpServer(options: ServerOptions = {}): Promise<TestServer> {
  const hostKey = options.hostKey ?? TEST_HOST_KEY
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const running = { requests: [] as string[], options, mostAtOnce: 0 }
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (attempt) =>
      (options.login?.(attempt) ?? true) ? attempt.accept() : attempt.reject(),
    )
    client.on('request', (_accept, reject) => reject?.())
    client.on('tcpip', (accept, _reject, { destIP, destPort }) => {
      const stream = accept()
      const onward = connectTo(destPort, destIP)
      onward.on('error', () => stream.destroy())
      stream.on('error', () => onward.destroy())
      stream.pipe(onward).pipe(stream)
    })
    client.on('session', (accept) => {
      const session = accept()
      session.on('error', () => {})
      session.on('sftp', (start) => serveSftp(start(), running, cut))
    })
  })
  const net = (server as unknown as { _srv: Server })._srv
  net.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return Object.assign(running, {
    port: (server.address() as AddressInfo).port,
    cut,
    close: async () => {
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

export const TEST_HOST_KEY: string = ssh2.utils.generateKeyPairSync('ed25519').private

interface Handle {
  readonly path: string
  readonly file?: number
  names?: Buffer[]
}

class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

type Running = Pick<TestServer, 'requests' | 'options' | 'mostAtOnce'>

function serveSftp(sftp: SFTPWrapper, running: Running, cut: () => void): void {
  const { options, requests } = running
  let underWay = 0
  const handles = new Map<number, Handle>()
  let nextHandle = 0
  advertise(sftp, options.extensions ?? ALL_EXTENSIONS)
  sftp.on('error', () => {})

  const opened = (handle: Handle): Buffer => {
    const id = ++nextHandle
    handles.set(id, handle)
    const name = Buffer.alloc(4)
    name.writeUInt32BE(id)
    return name
  }
  const handleOf = (name: Buffer): Handle => handles.get(name.readUInt32BE()) ?? refuse(STATUS_CODE.FAILURE)

  /** Does the work of a request unless a fault comes in between; every failure becomes a status as OpenSSH's does. */
  const on = (
    request: string,
    work: (id: number, ...args: never[]) => { path: string; run: () => () => void },
  ) => {
    sftp.on(
      request as 'OPEN',
      ((id: number, ...args: never[]) => {
        const act = async () => {
          let answer: () => void
          running.mostAtOnce = Math.max(running.mostAtOnce, ++underWay)
          try {
            const { path, run } = work(id, ...args)
            requests.push(`${request} ${path}`)
            const fault = options.fault?.(request, path)
            if (fault === 'silent') return
            if (fault === 'cut') return cut()
            if (typeof fault === 'number') refuse(fault)
            answer = run()
            if (fault === 'cut_after') return cut()
          } catch (error) {
            answer = () => sftp.status(id, statusOf(error))
          }
          if (options.delayMs) await Bun.sleep(options.delayMs)
          underWay--
          answer()
        }
        void act()
      }) as never,
    )
  }
  const done = (id: number) => () => sftp.status(id, STATUS_CODE.OK)

  on('REALPATH', (id, path: string) => ({
    path,
    run: () => {
      const real = fs.realpathSync(path)
      return () => sftp.name(id, [{ filename: real, longname: real, attrs: {} as never }])
    },
  }))
  for (const [request, look] of [
    ['STAT', fs.statSync],
    ['LSTAT', fs.lstatSync],
  ] as const) {
    on(request, (id, path: string) => ({
      path,
      run: () => {
        const attrs = attrsOf(look(path) as fs.Stats)
        return () => sftp.attrs(id, attrs)
      },
    }))
  }
  on('FSTAT', (id, name: Buffer) => ({
    path: handleOf(name).path,
    run: () => {
      const attrs = attrsOf(fs.fstatSync(handleOf(name).file!))
      return () => sftp.attrs(id, attrs)
    },
  }))
  on('READLINK', (id, path: string) => ({
    path,
    run: () => {
      const target = fs.readlinkSync(path)
      return () => sftp.name(id, [{ filename: target, longname: target, attrs: {} as never }])
    },
  }))
  on('OPENDIR', (id, path: string) => ({
    path,
    run: () => {
      const names = fs.readdirSync(path, { encoding: 'buffer' })
      const handle = opened({ path, names })
      return () => sftp.handle(id, handle)
    },
  }))
  on('READDIR', (id, name: Buffer) => ({
    path: handleOf(name).path,
    run: () => {
      const handle = handleOf(name)
      const names = handle.names!.splice(0, 100)
      if (names.length === 0) refuse(STATUS_CODE.EOF)
      const rows = names.map((name) => ({
        filename: name.toString(),
        longname: 'x',
        attrs: attrsOf(fs.lstatSync(Buffer.concat([Buffer.from(`${handle.path}/`), name]))),
      }))
      return () => sftp.name(id, rows)
    },
  }))
  on('OPEN', (id, path: string, flags: number, attrs: { mode?: number }) => ({
    path,
    run: () => {
      const exclusive = (flags & OPEN_MODE.EXCL) !== 0
      const how = exclusive ? 'wx' : (flagsToString(flags) ?? 'r')
      if (fs.existsSync(path) && fs.statSync(path).isDirectory()) refuse(STATUS_CODE.FAILURE)
      const handle = opened({ path, file: fs.openSync(path, how, attrs.mode ?? 0o666) })
      return () => sftp.handle(id, handle)
    },
  }))
  on('CLOSE', (id, name: Buffer) => ({
    path: handleOf(name).path,
    run: () => {
      const { file } = handleOf(name)
      if (file !== undefined) fs.closeSync(file)
      handles.delete(name.readUInt32BE())
      return done(id)
    },
  }))
  on('READ', (id, name: Buffer, offset: number, length: number) => ({
    path: handleOf(name).path,
    run: () => {
      const into = Buffer.alloc(Math.min(length, options.mostRead ?? length))
      const count = fs.readSync(handleOf(name).file!, into, 0, into.length, offset)
      if (count === 0) refuse(STATUS_CODE.EOF)
      return () => sftp.data(id, into.subarray(0, count))
    },
  }))
  on('WRITE', (id, name: Buffer, offset: number, data: Buffer) => ({
    path: handleOf(name).path,
    run: () => {
      const kept = data.subarray(0, options.lossyWrite ?? data.length)
      fs.writeSync(handleOf(name).file!, kept, 0, kept.length, offset)
      return done(id)
    },
  }))
  for (const request of ['SETSTAT', 'FSETSTAT']) {
    on(request, (id, target: string | Buffer, attrs: { mode?: number; atime?: number; mtime?: number }) => {
      const path = typeof target === 'string' ? target : handleOf(target).path
      return {
        path,
        run: () => {
          if (attrs.mode !== undefined) fs.chmodSync(path, attrs.mode)
          if (attrs.mtime !== undefined) fs.utimesSync(path, attrs.atime ?? attrs.mtime, attrs.mtime)
          return done(id)
        },
      }
    })
  }
  for (const [request, change] of [
    ['MKDIR', fs.mkdirSync],
    ['RMDIR', fs.rmdirSync],
    ['REMOVE', fs.unlinkSync],
  ] as const) {
    on(request, (id, path: string) => ({
      path,
      run: () => {
        change(path)
        return done(id)
      },
    }))
  }
  on('RENAME', (id, from: string, to: string) => ({
    path: to,
    run: () => {
      if (fs.lstatSync(to, { throwIfNoEntry: false })) refuse(STATUS_CODE.FAILURE)
      fs.renameSync(from, to)
      return done(id)
    },
  }))
  on('EXTENDED', (id, name: string, data: Buffer) => {
    const [a = '', b = ''] = name.startsWith('fsync') ? [''] : strings(data)
    return { path: `${name} ${b || a}`, run: () => extended(sftp, id, name, [a, b], options) }
  })
}

function extended(
  sftp: SFTPWrapper,
  id: number,
  name: string,
  [a, b]: readonly [string, string],
  options: ServerOptions,
): () => void {
  const ok = () => sftp.status(id, STATUS_CODE.OK)
  if (!(options.extensions ?? ALL_EXTENSIONS).includes(name)) refuse(STATUS_CODE.OP_UNSUPPORTED)
  if (name === 'posix-rename@openssh.com') fs.renameSync(a, b)
  else if (name === 'hardlink@openssh.com') fs.linkSync(a, b)
  else if (name === 'statvfs@openssh.com')
    return () => send(sftp, statvfsReply(id, options.freeBytes ?? 2 ** 40))
  return ok
}

function refuse(status: number): never {
  throw new Refused(status)
}

function statusOf(error: unknown): number {
  if (error instanceof Refused) return error.status
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return STATUS_CODE.NO_SUCH_FILE
  if (code === 'EACCES' || code === 'EPERM') return STATUS_CODE.PERMISSION_DENIED
  return STATUS_CODE.FAILURE
}

function attrsOf({ mode, uid, gid, size, atimeMs, mtimeMs }: fs.Stats) {
  const [atime, mtime] = [Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000)]
  return { mode, uid, gid, size, atime, mtime }
}

/** ssh2's server advertises no extension: its first packet, the VERSION, gets them. */
function advertise(sftp: SFTPWrapper, extensions: readonly string[]): void {
  const protocol = protocolOf(sftp)
  const before = protocol.channelData
  protocol.channelData = (channel, data) => {
    protocol.channelData = before
    const pairs = extensions.flatMap((name) => [text(name), text(name.startsWith('statvfs') ? '2' : '1')])
    const packet = Buffer.concat([data, ...pairs])
    packet.writeUInt32BE(packet.length - 4)
    before.call(protocol, channel, packet)
  }
}

interface Protocol {
  channelData: (channel: number, data: Buffer) => void
}

function protocolOf(sftp: SFTPWrapper): Protocol {
  return (sftp as unknown as { _protocol: Protocol })._protocol
}

function send(sftp: SFTPWrapper, packet: Buffer): void {
  protocolOf(sftp).channelData((sftp as unknown as { outgoing: { id: number } }).outgoing.id, packet)
}

function statvfsReply(id: number, free: number): Buffer {
  const body = Buffer.alloc(4 + 1 + 4 + 11 * 8)
  body.writeUInt32BE(body.length - 4)
  body[4] = 201
  body.writeUInt32BE(id, 5)
  const fields = [4096, 1, 0, 0, free, 0, 0, 0, 0, 0, 255]
  for (const [i, value] of fields.entries()) body.writeBigUInt64BE(BigInt(value), 9 + i * 8)
  return body
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function strings(data: Buffer): string[] {
  const found: string[] = []
  for (let at = 0; at + 4 <= data.length; ) {
    const length = data.readUInt32BE(at)
    found.push(data.toString('utf8', at + 4, at + 4 + length))
    at += 4 + length
  }
  return found
}
