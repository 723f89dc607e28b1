import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { exactBytes, os_delta_data, os_delta_index, osDeltaLimits, readOsDelta, rebuilt } from '@mdm/device-link'
import type { OsDelta } from '@mdm/device-link'
import { osPackageEntries } from '../os-package.ts'
import type { OldFiles } from './make.ts'
import { fileSource } from './tree.ts'
import type { Zstd } from './zstd.ts'

type Of = {
  /** The difference. */
  path: string
  /** What the full package of the new version unpacks to. */
  expected: { path: string; size: number; sha256: string }[]
  old: OldFiles
  zstd: Zstd
  on_progress(done: number): void
}

/** Reads a difference from its file and applies it, as a device does. Throws where the result is not the new version, byte for byte. */
export async function verifyDelta({ path, expected, old, zstd, on_progress }: Of): Promise<void> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { archive, entries } = await osPackageEntries(fileSource(file, size))
    const entryOf = (wanted: string) => entries.find(({ name }) => name === wanted)?.entry
    const index = readOsDelta(String(await archive.content(entryOf(os_delta_index)!, osDeltaLimits.index_bytes)))
    const data = entryOf(os_delta_data)
    const bytes = exactBytes(data ? archive.stream(data) : nothing())
    const found = await rebuild(index, bytes.take, old, zstd, on_progress)
    await bytes.end()
    const wanted = new Map(expected.map((one) => [one.path, one]))
    const is_same =
      found.length === wanted.size &&
      found.every((one) => wanted.get(one.path)?.sha256 === one.sha256 && wanted.get(one.path)!.size === one.size)
    if (!is_same) throw new Error('the difference does not make the new version')
  } finally {
    await file.close()
  }
}

async function rebuild(
  { files }: OsDelta,
  data: (length: number) => Promise<Uint8Array>,
  old: OldFiles,
  zstd: Zstd,
  on_progress: (done: number) => void,
) {
  const base = async (path: string, at: number, length: number) => {
    const file = await open(old.get(path)!.place, 'r')
    try {
      const buffer = Buffer.alloc(length)
      const { bytesRead } = await file.read(buffer, 0, length, at)
      if (bytesRead !== length) throw new Error(`${path} ends early`)
      return buffer
    } finally {
      await file.close()
    }
  }
  const total = Math.max(
    1,
    files.reduce((sum, { size }) => sum + size, 0),
  )
  let done = 0
  const found: { path: string; size: number; sha256: string }[] = []
  for (const file of files) {
    if (file.same !== undefined) {
      const { size, sha256 } = old.get(file.same)!
      found.push({ path: file.path, size, sha256 })
    } else {
      const hash = createHash('sha256')
      let size = 0
      for await (const bytes of rebuilt(file, { data, base, unpack: zstd.unpack })) {
        hash.update(bytes)
        size += bytes.byteLength
      }
      found.push({ path: file.path, size, sha256: hash.digest('hex') })
    }
    on_progress((done += file.size) / total)
  }
  return found
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
