import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { osPackageEntries } from '../os-package.ts'
import type { ByteSource } from '../apk/source.ts'

/** A local file of which any part can be read. */
export const fileSource = (file: FileHandle, size: number): ByteSource => ({
  size,
  async read(start, length) {
    const buffer = Buffer.alloc(Math.min(length, Math.max(0, size - start)))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
    return buffer.subarray(0, bytesRead)
  },
})

export type TreeFile = { path: string; size: number; stream(): AsyncIterable<Buffer> }
export type Tree = { folders: string[]; files: TreeFile[]; close(): Promise<void> }

const folder = 'DOWNLOAD/'

/** What a package makes of an empty slot, in the order of the paths. */
export async function openTree(path: string): Promise<Tree> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { archive, entries } = await osPackageEntries(fileSource(file, size))
    const files: TreeFile[] = []
    const folders: string[] = []
    for (const { name, entry } of entries) {
      const below = name.slice(folder.length)
      if (below === '') continue
      if (name.endsWith('/')) folders.push(below.slice(0, -1))
      else files.push({ path: below, size: entry.uncompressedSize, stream: () => archive.stream(entry) })
    }
    return { folders: folders.toSorted(), files: files.toSorted(byPath), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
