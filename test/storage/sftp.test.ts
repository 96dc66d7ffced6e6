import { storageContract } from './contract.ts'
import { sftpBench } from './sftp_bench.ts'
import type { ServerOptions } from './sftp_server.ts'

const SERVERS: { name: string; server: ServerOptions }[] = [
  { name: 'sftp', server: {} },
  { name: 'sftp without extensions', server: { extensions: [] } },
  { name: 'sftp without hard links', server: { extensions: ['posix-rename@openssh.com'] } },
  { name: 'sftp in short answers', server: { mostRead: 700 } },
]

for (const { name, server } of SERVERS) {
  storageContract({ name, hasLinks: true, open: (files) => sftpBench(files, server) })
}
