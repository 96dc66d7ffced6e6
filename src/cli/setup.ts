import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { VaultError } from '../errors.ts'
import { unifiedDiff } from '../note/diff.ts'
import { nearest } from '../text/nearest.ts'
import { type ClientFile, withServer } from './client_files.ts'
import type { Launch } from './clients.ts'

export interface SetupRequest {
  /** Name of the client, or undefined to list those that are known. */
  readonly client: string | undefined
  readonly clients: readonly ClientFile[]
  /** What the server is called in the client. */
  readonly name: string
  readonly launch: Launch
  /** Only show. */
  readonly print: boolean
  readonly remove: boolean
}

/**
 * Puts the server into a client's settings, or takes it out again: the exact change is shown, a copy of the file as it
 * was stays beside it.
 * @returns what is printed, with a line end
 * @throws VaultError `bad_argument`
 */
export function setupCommand({ client, clients, name, launch, print, remove }: SetupRequest): string {
  if (client === undefined) return known(clients)
  const target = clients.find((one) => one.client === client)
  if (target === undefined) {
    const near = nearest(
      client,
      clients.map((one) => one.client),
      1,
    )[0]
    throw new VaultError('bad_argument', `There is no client ${JSON.stringify(client)} that is known.`, {
      hint:
        near === undefined ? '"knap setup" lists them.' : `Did you mean ${near}? "knap setup" lists them.`,
    })
  }
  if (!/^[\w-]+$/.test(name)) {
    throw new VaultError('bad_argument', `${JSON.stringify(name)} is no name for a server.`, {
      hint: 'Letters, digits, - and _ alone.',
    })
  }
  const { file, title } = target
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = withServer(before, target, name, remove ? null : launch)
  if (after === before) return `${title}: nothing to change in ${file}.\n`
  const { diff } = unifiedDiff(before, after, { path: file.replace(/^\//, ''), maxLines: 200 })
  if (print) return `${diff}\n`
  mkdirSync(dirname(file), { recursive: true })
  const backup = `${file}.before-knap`
  if (before !== '') copyFileSync(file, backup)
  put(file, after)
  const kept = before === '' ? '' : ` The file as it was: ${backup}.`
  const done = remove ? `${name} is taken out of ${file}.` : `${title} is set up in ${file}.`
  return `${diff}\n${done}${kept} Start ${title} anew.\n`
}

/** At once or not at all; a link stays one, and who may read the file stays as it is: tokens of other servers are in it. */
function put(file: string, text: string): void {
  const isThere = existsSync(file)
  const target = isThere ? realpathSync(file) : file
  const next = `${target}.${process.pid}.knap-new`
  writeFileSync(next, text, { mode: isThere ? statSync(target).mode & 0o777 : 0o600 })
  renameSync(next, target)
}

function known(clients: readonly ClientFile[]): string {
  const rows = clients.map(
    ({ client, title, file }) =>
      `  ${client.padEnd(16)}${title.padEnd(16)}${existsSync(file) ? file : `${file} (not there yet)`}`,
  )
  return `Clients:\n${rows.join('\n')}\n\nknap setup CLIENT VAULT shows the change and writes it; --print only shows it, --remove undoes it.\n`
}
