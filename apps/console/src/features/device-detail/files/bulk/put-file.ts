import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { file_frame_bytes } from '@mdm/contract/tunnel.ts'
import { FileRefused, LinkLost, questions_at_once } from './file-link.ts'
import type { FileLink, Said } from './file-link.ts'

const { piece } = file_frame_bytes
const hashed_bytes = 1024 ** 2

export type FileToPut = { file: Blob; name: string; path: string }

async function digestOf(file: Blob, signal: AbortSignal): Promise<string> {
  const hash = sha256.create()
  for (let at = 0; at < file.size; at += hashed_bytes) {
    signal.throwIfAborted()
    hash.update(new Uint8Array(await file.slice(at, at + hashed_bytes).arrayBuffer()))
  }
  return bytesToHex(hash.digest())
}

/**
 * Sends a file to its place on the device, where it appears once it is whole. After a dropped link it goes on with the byte that the
 * device asks for. `on_bytes` is told how much of it is there.
 */
export async function putFile(
  link: FileLink,
  { file, name, path }: FileToPut,
  on_bytes: (there: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const put = { path, name, size: file.size, sha256: await digestOf(file, signal) }
  for (;;) {
    signal.throwIfAborted()
    const said = await link.ask({ put })
    if (!('position' in said)) throw new FileRefused('bad_answer', name)
    on_bytes(said.position)
    try {
      await sendFrom(link, file, said.position, on_bytes, signal)
      await link.ask({ place: true })
      return
    } catch (error) {
      if (!(error instanceof LinkLost)) throw error
    }
  }
}

async function sendFrom(
  link: FileLink,
  file: Blob,
  position: number,
  on_bytes: (there: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const sent: Promise<Said>[] = []
  const oneTaken = async () => {
    const said = await sent.shift()
    if (said && 'position' in said) on_bytes(said.position)
  }
  for (let at = position; at < file.size; at += piece) {
    signal.throwIfAborted()
    const bytes = new Uint8Array(await file.slice(at, at + piece).arrayBuffer())
    const said = link.ask({ write: { length: bytes.length } }, bytes)
    said.catch(() => {})
    sent.push(said)
    if (sent.length >= questions_at_once) await oneTaken()
  }
  while (sent.length > 0) await oneTaken()
}
