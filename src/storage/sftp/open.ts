import { sftpStorage } from '../sftp.ts'
import type { Storage } from '../storage.ts'
import { addressText, readAddress } from './address.ts'
import { connect } from './connect.ts'
import { Link } from './link.ts'
import { slots } from './slots.ts'
import type { Machine } from './ssh_config.ts'
import { type TargetOptions, targetOf } from './target.ts'

export interface OpenOptions extends TargetOptions {
  /** Longest wait for one operation, in milliseconds. */
  readonly timeoutMs: number
  readonly machine: Machine
}

/** Operations under way at once: enough to hide the way there and back, few enough for every server's handles. */
const AT_ONCE = 8

/**
 * A folder behind SSH as a vault; `id` is its address in one spelling. Nothing is connected yet.
 * @throws VaultError `bad_argument`, `not_configured`
 */
export function openSftpStorage(uri: string, options: OpenOptions): Storage {
  const address = readAddress(uri)
  const { host, port, user } = targetOf(address, options, options.machine)
  const { timeoutMs, machine } = options
  const link = new Link({
    dial: async (signal) => connect(targetOf(address, options, machine), { timeoutMs, signal }),
  })
  return sftpStorage({
    id: addressText({ ...address, host, port, user }),
    link,
    root: address.folder,
    slots: slots(AT_ONCE),
    timeoutMs,
  })
}
