/** Lets two names change places in one atomic call. @returns false where that is not possible; then nothing was done */
export type Exchange = (a: string, b: string) => boolean

/**
 * The system's atomic exchange of two files, which Bun has no name for: `renameat2` with RENAME_EXCHANGE on Linux,
 * `renamex_np` with RENAME_SWAP on macOS. What a file displaced is then known for sure, without any window.
 * Null where the system or its C library has none; some file systems (network mounts, FAT) refuse it.
 */
export function systemExchange(): Exchange | null {
  loaded ??= { exchange: load() }
  return loaded.exchange
}

let loaded: { exchange: Exchange | null } | undefined

function load(): Exchange | null {
  if (process.platform === 'linux') return linux('libc.so.6') ?? linux('libc.so')
  return process.platform === 'darwin' ? darwin() : null
}

const AT_FDCWD = -100
const RENAME_EXCHANGE = 2
const RENAME_SWAP = 2

/** Loaded with the first change: it costs a start some hundredths of a second. */
const ffi = () => require('bun:ffi') as typeof import('bun:ffi')

function linux(library: string): Exchange | null {
  try {
    const { dlopen, FFIType } = ffi()
    const { symbols } = dlopen(library, {
      renameat2: {
        args: [FFIType.i32, FFIType.ptr, FFIType.i32, FFIType.ptr, FFIType.u32],
        returns: FFIType.i32,
      },
    })
    return (a, b) => symbols.renameat2(AT_FDCWD, cString(a), AT_FDCWD, cString(b), RENAME_EXCHANGE) === 0
  } catch {
    return null
  }
}

function darwin(): Exchange | null {
  try {
    const { dlopen, FFIType } = ffi()
    const { symbols } = dlopen('libSystem.B.dylib', {
      renamex_np: { args: [FFIType.ptr, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    })
    return (a, b) => symbols.renamex_np(cString(a), cString(b), RENAME_SWAP) === 0
  } catch {
    return null
  }
}

function cString(text: string): Uint8Array {
  return Buffer.from(`${text}\0`)
}
