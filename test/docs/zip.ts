import { deflateRawSync } from 'node:zlib'

/** A file of an archive; what is wrong with it on purpose is said by the further fields. */
export interface ZipEntry {
  readonly name: string
  readonly text: string | Uint8Array
  /** Unix mode; default an ordinary file. */
  readonly mode?: number
  readonly crc32?: number
  /** Bytes that it claims to become. */
  readonly claims?: number
  readonly stored?: boolean
}

/** A ZIP archive with these files, as they are told. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const parts: Uint8Array[] = []
  const list: Uint8Array[] = []
  let at = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name)
    const raw = Buffer.from(entry.text as string)
    const packed = entry.stored ? raw : deflateRawSync(raw)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(entry.stored ? 0 : 8, 4)
    common.writeUInt32LE(entry.crc32 ?? Bun.hash.crc32(raw), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(entry.claims ?? raw.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
    rest.writeUInt32LE(at, 10)
    list.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, rest, name]))
    parts.push(local)
    at += local.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06'), end])
}
