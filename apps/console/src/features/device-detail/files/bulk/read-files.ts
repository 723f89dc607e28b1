import { file_frame_bytes } from '@mdm/contract/tunnel.ts'
import { nameFault } from '../../../../lib/file-names.ts'
import { pathOf } from '../device-names.ts'
import { FileRefused, questions_at_once } from './file-link.ts'
import type { FileLink, Said } from './file-link.ts'

const { piece } = file_frame_bytes
/** A folder that is deeper, or leads in circles, is left out. */
const deepest = 60

export type Source = { name: string; type: 'folder' | 'file' | 'other'; size: number | null }
export type Walked =
  | { kind: 'file'; path: string; steps: readonly string[]; size: number }
  | { kind: 'folder'; steps: readonly string[] }
  /** A link, a device, or a name that no archive should have. */
  | { kind: 'left_out'; path: string }

/** Everything below what was chosen, folders before what is in them. */
export async function* walk(
  link: FileLink,
  folder: string,
  chosen: readonly Source[],
  steps: readonly string[] = [],
): AsyncGenerator<Walked> {
  for (const each of chosen) {
    const path = pathOf(folder, each.name)
    const own = [...steps, each.name]
    if (each.type === 'other' || nameFault(each.name) !== undefined || own.length > deepest)
      yield { kind: 'left_out', path }
    else if (each.type === 'file') yield { kind: 'file', path, steps: own, size: each.size ?? 0 }
    else {
      yield { kind: 'folder', steps: own }
      for await (const part of partsOf(link, path)) yield* walk(link, path, part, own)
    }
  }
}

async function* partsOf(link: FileLink, path: string): AsyncGenerator<Source[]> {
  for (let after: string | undefined; ;) {
    const said = await link.ask({ list: { path, ...(after !== undefined && { after }) } })
    if (!('list' in said)) throw new FileRefused('bad_answer', path)
    const { items, next } = said.list
    yield items.map(({ name, type, size }) => ({ name, type, size: size ?? null }))
    if (next === null) return
    if (next <= (after ?? '')) throw new FileRefused('bad_answer', path)
    after = next
  }
}

/**
 * The bytes of a file, read ahead by a few pieces and no faster than they are taken. The file's size and time come with each piece: one
 * that changes meanwhile would be a mixture of two, and ends with `changed`.
 */
export async function* bytesOf(link: FileLink, path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const asked: Promise<Said>[] = []
  const ask = (offset: number) => {
    const said = link.ask({ read: { path, offset, length: piece } })
    // It may fail while another is waited for.
    said.catch(() => {})
    asked.push(said)
  }
  ask(0)
  let offset = piece
  let first: { size: number; modified_at: string } | undefined
  let came = 0
  for (let next = asked.shift(); next; next = asked.shift()) {
    const said = await next
    if (!('read' in said) || !said.bytes) throw new FileRefused('bad_answer', path)
    const { size, modified_at } = said.read
    first ??= { size, modified_at }
    if (size !== first.size || modified_at !== first.modified_at) throw new FileRefused('changed', path)
    came += said.bytes.length
    // All pieces but the last are whole.
    if (said.bytes.length < piece && came < size) throw new FileRefused('changed', path)
    for (; asked.length < questions_at_once - 1 && offset < size; offset += piece) ask(offset)
    // A view of what came; whoever keeps it would keep all of that.
    if (said.bytes.length > 0) yield said.bytes.slice()
  }
}
