import { createCipheriv, createHash } from 'node:crypto'
import { posix } from 'node:path'
import { limits } from '@mdm/device-link'
import { TaskFailure } from './body.ts'
import type { FileToLand, Files, Landing } from './body.ts'
import { isGoodName, refuse, stepsOf } from './jail.ts'
import type { Random } from './random.ts'
import { noSpace } from './failures.ts'

type Part = { from: number; length: number }
type Bytes = (part?: Part) => Iterable<Uint8Array>
type Digests = { md5: string; sha256: string }
type Node =
  | { type: 'folder'; modified_at: Date }
  | { type: 'file'; modified_at: Date; size: number; open?: Bytes | undefined; digests?: Digests }
type Arriving = {
  position: number
  md5: ReturnType<typeof createHash>
  sha256: ReturnType<typeof createHash>
  chunks: Uint8Array[]
}

const piece = 64 * 1024
/** What people put on one simulated device; a fleet of them shares one process. */
const kept_max = 64 * 1024 ** 2

/** The same bytes for the same path and size, made while they are read. */
const madeUp = (path: string, size: number): Bytes =>
  function* ({ from, length } = { from: 0, length: size }) {
    const key = createHash('sha256').update(`${path} ${size}`).digest().subarray(0, 16)
    // The counter of the block in which the part begins.
    const counter = Buffer.alloc(16)
    counter.writeUInt32BE(Math.floor(from / 16), 12)
    const cipher = createCipheriv('aes-128-ctr', key, counter)
    cipher.update(Buffer.alloc(from % 16))
    const end = Math.min(size, from + length)
    for (let at = from; at < end; at += piece) yield cipher.update(Buffer.alloc(Math.min(piece, end - at)))
  }

/** A part of what came in chunks. */
const partOf = (chunks: readonly Uint8Array[]): Bytes =>
  function* ({ from, length } = { from: 0, length: Infinity }) {
    let begin = 0
    for (const chunk of chunks) {
      const part = chunk.subarray(Math.max(0, from - begin), Math.max(0, from + length - begin))
      if (part.length > 0) yield part
      begin += chunk.length
    }
  }

const fresh = (): Arriving => ({ position: 0, md5: createHash('md5'), sha256: createHash('sha256'), chunks: [] })

type Options = {
  random: Random
  now: () => Date
  /** After each piece of a download. */
  pause: () => Promise<void>
  perform: (what: string) => void
  /** Bytes that may be written. */
  room: () => number
}

/** Files of a device that is played. What is pushed to it is counted and digested; what is to be kept is kept. */
export function simulateFiles({ random, now, pause, perform, room }: Options) {
  const nodes = new Map<string, Node>([['/', { type: 'folder', modified_at: now() }]])
  const arriving = new Map<string, Arriving>()

  const pathOf = (path: string) => `/${stepsOf(path).join('/')}`
  function need<T extends Node['type']>(path: string, type?: T): Extract<Node, { type: T }> {
    const node = nodes.get(path)
    if (!node) throw new TaskFailure('not_found', `There is no ${path}`)
    if (type !== undefined && node.type !== type) throw refuse(path)
    return node as Extract<Node, { type: T }>
  }
  const assertFree = (path: string) => {
    if (nodes.has(path)) throw new TaskFailure('exists', `${path} is there already`)
  }
  const isWithin = (path: string, folder: string) => path.startsWith(folder === '/' ? '/' : `${folder}/`)
  const put = (path: string, node: Node) => {
    for (let at = posix.dirname(path); !nodes.has(at); at = posix.dirname(at))
      nodes.set(at, { type: 'folder', modified_at: now() })
    nodes.set(path, node)
  }
  const keptBytes = () =>
    [...nodes.values()].reduce(
      (sum, node) => sum + (node.type === 'file' && node.digests && node.open ? node.size : 0),
      0,
    )

  const files: Files = {
    async list(given, after) {
      const folder = pathOf(given)
      need(folder, 'folder')
      const names = [...nodes.keys()]
        .filter((path) => path !== '/' && posix.dirname(path) === folder)
        .map((path) => posix.basename(path))
        .filter((name) => after === undefined || name > after)
        .toSorted()
      const part = names.slice(0, limits.folder_entries)
      const items = part.map((name) => {
        const { modified_at, ...node } = need(posix.join(folder, name))
        const size = node.type === 'file' ? { size: node.size } : {}
        return { name, type: node.type, ...size, modified_at: modified_at.toISOString() }
      })
      return { items, has_more: part.length < names.length }
    },
    async make_folder(given) {
      const path = pathOf(given)
      assertFree(path)
      need(posix.dirname(path), 'folder')
      put(path, { type: 'folder', modified_at: now() })
      perform(`make folder ${path}`)
    },
    async rename(given, name) {
      const path = pathOf(given)
      if (path === '/' || !isGoodName(name)) throw refuse(name)
      need(path)
      const to = posix.join(posix.dirname(path), name)
      if (to === path) return
      assertFree(to)
      for (const [each, node] of [...nodes])
        if (each === path || isWithin(each, path)) {
          nodes.delete(each)
          nodes.set(to + each.slice(path.length), node)
        }
      perform(`rename ${path} to ${name}`)
    },
    async remove(given) {
      const path = pathOf(given)
      if (path === '/') throw refuse(path)
      need(path)
      for (const each of [...nodes.keys()]) if (each === path || isWithin(each, path)) nodes.delete(each)
      perform(`delete ${path}`)
    },
    async read(given) {
      const path = pathOf(given)
      const { size, open, modified_at } = need(path, 'file')
      if (!open) throw new TaskFailure('not_kept', 'This simulated device only counted the bytes of this file')
      return { size, open, modified_at }
    },
  }

  function land(file: FileToLand, is_kept: boolean): Landing {
    if (!isGoodName(file.name)) throw refuse(file.name)
    const path = posix.join(pathOf(file.path), file.name)
    if (nodes.get(path)?.type === 'folder') throw refuse(path)
    if (is_kept && keptBytes() + file.size > kept_max)
      throw new TaskFailure('no_space', `${file.name}: no space left on the device (simulated)`)
    const key = `${file.sha256} ${path} ${is_kept}`
    const held = nodes.get(path)
    const there = held?.type === 'file' && (!is_kept || held.open) ? held.digests : undefined
    const is_there = there?.sha256 === file.sha256
    let bytes = arriving.get(key) ?? fresh()
    const needed = file.size - bytes.position
    if (!is_there && needed > room()) {
      arriving.delete(key)
      throw noSpace(file.name, needed, room())
    }
    if (!is_there) arriving.set(key, bytes)
    return {
      get position() {
        return is_there ? file.size : bytes.position
      },
      async write(chunk) {
        bytes.md5.update(chunk)
        bytes.sha256.update(chunk)
        bytes.position += chunk.byteLength
        if (is_kept) bytes.chunks.push(chunk)
        await pause()
      },
      digests: () =>
        is_there && there ? there : { md5: bytes.md5.copy().digest('hex'), sha256: bytes.sha256.copy().digest('hex') },
      async place() {
        if (is_there) return path
        const { chunks } = bytes
        const open = is_kept ? partOf(chunks) : undefined
        put(path, { type: 'file', modified_at: now(), size: file.size, open, digests: this.digests() })
        arriving.delete(key)
        perform(`file ${path}`)
        return path
      },
      close: async () => {},
      async reset() {
        nodes.delete(path)
        bytes = fresh()
        arriving.set(key, bytes)
      },
    }
  }

  for (const [path, most] of [
    ['/sdcard/DCIM/photo-0001.jpg', 3e6],
    ['/sdcard/DCIM/photo-0002.jpg', 3e6],
    ['/sdcard/Documents/Hướng dẫn.pdf', 9e5],
    ['/sdcard/Documents/routes.json', 4e4],
    ['/sdcard/Download/map-tiles.zip', 1.2e7],
    ['/sdcard/logs/scan.log', 2e5],
  ] as const) {
    const size = Math.floor(random.between(most / 4, most))
    put(path, { type: 'file', modified_at: now(), size, open: madeUp(path, size) })
  }
  put('/sdcard/Music', { type: 'folder', modified_at: now() })
  /** Nothing is left but the folder that everything goes into. */
  const reset = () => {
    nodes.clear()
    arriving.clear()
    nodes.set('/', { type: 'folder', modified_at: now() })
    put('/sdcard', { type: 'folder', modified_at: now() })
  }
  const removePushed = (given: string, sha256: string): boolean => {
    const path = pathOf(given)
    const node = nodes.get(path)
    return node?.type === 'file' && node.digests?.sha256 === sha256 && nodes.delete(path)
  }
  return { files, land, removePushed, reset }
}
