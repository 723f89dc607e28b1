import { saveBlob } from '../../../../core/save-blob.ts'

const prefix = 'mdm-download-'
const day_ms = 86_400_000
/** The browser copies it from where it was gathered. */
const copied_ms = 600_000
/** What a browser without files of its own is trusted to hold. */
const held_bytes = 1024 ** 3
const blob_bytes = 16 * 1024 ** 2

export class TooLarge extends Error {}

/** Gathers what comes and has the browser keep it under this name: on the disk, not in memory, where the browser has files of its own. */
export async function keepDownload(name: string, bytes: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<void> {
  const place = await ownFile()
  if (!place) return saveBlob(name, await inMemory(bytes))
  const { folder, handle, out } = place
  const remove = () => folder.removeEntry(handle.name).catch(() => {})
  try {
    for await (const each of bytes) await out.write(each)
    await out.close()
  } catch (error) {
    await out.abort().catch(() => {})
    await remove()
    throw error
  }
  saveBlob(name, await handle.getFile())
  setTimeout(() => void remove(), copied_ms)
}

type OwnFile = { folder: FileSystemDirectoryHandle; handle: FileSystemFileHandle; out: FileSystemWritableFileStream }
async function ownFile(): Promise<OwnFile | undefined> {
  try {
    const folder = await navigator.storage.getDirectory()
    await sweep(folder)
    const handle = await folder.getFileHandle(`${prefix}${Date.now()}-${crypto.randomUUID()}`, { create: true })
    return { folder, handle, out: await handle.createWritable() }
  } catch {
    // Without TLS, and in private windows of some browsers, there is none; others cannot write it from a page.
    return undefined
  }
}

/** What a page that was closed has left. */
async function sweep(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of folder.keys()) {
    const at = Number(name.slice(prefix.length).split('-', 1)[0])
    if (name.startsWith(prefix) && !(Date.now() - at < day_ms)) await folder.removeEntry(name).catch(() => {})
  }
}

async function inMemory(bytes: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const blobs: Blob[] = []
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let held = 0
  let total = 0
  const gather = () => {
    blobs.push(new Blob(pieces))
    pieces = []
    held = 0
  }
  for await (const each of bytes) {
    pieces.push(each)
    held += each.length
    total += each.length
    if (total > held_bytes) throw new TooLarge()
    // A browser puts large blobs on the disk.
    if (held >= blob_bytes) gather()
  }
  gather()
  return new Blob(blobs)
}
