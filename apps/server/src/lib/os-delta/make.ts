import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { os_delta_data, os_delta_folder, os_delta_index, osDeltaLimits } from '@mdm/device-link'
import type { OsDelta, OsDeltaFile } from '@mdm/device-link'
import { ZipFile } from 'yazl'
import { beyondLimits, invalid } from '../apk/source.ts'
import { openTree } from './tree.ts'
import type { Tree, TreeFile } from './tree.ts'
import { verifyDelta } from './verify.ts'
import { isRaw, openZstd } from './zstd.ts'
import type { Zstd } from './zstd.ts'

export type DeltaFacts = { files: number; same: number; bytes: number; new_bytes: number }
export type Making = {
  /** Full packages, as local files. */
  from: string
  to: string
  /** Empty, and the maker's alone. */
  folder: string
  /** Where the difference is written. */
  out: string
  on_progress(percent: number): void
}

/** A file of the old version: unpacked, under a number. */
export type OldFile = { place: string; size: number; sha256: string }
export type OldFiles = ReadonlyMap<string, OldFile>

/** Devices write it themselves: it is neither what the package had nor a base of anything. */
const device_own = 'os.json'
const unpack_share = 15
const verify_share = 15
/** Both are unpacked to the disk, one of them file by file. */
const unpacked_bytes_max = 32 * 1024 ** 3
/** The same packages make the same bytes, wherever and whenever. */
const stamp = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true }

/**
 * Makes a difference between two full packages, and applies it before it says that it is done. Every file of the new version is one
 * of the old as it is, or packed with what is most like it in the old as its dictionary. Throws ApkError for packages that cannot be read.
 */
export async function makeDelta({ from, to, folder, out, on_progress }: Making): Promise<DeltaFacts> {
  const zstd = await openZstd()
  const old = await unpackOld(from, join(folder, 'old'), (done) => on_progress(done * unpack_share))
  const target = await openTree(to)
  try {
    assertFree(target)
    assertSize(target)
    const { index, facts } = await writeData(target, old, folder, zstd, (done) =>
      on_progress(unpack_share + done * (100 - unpack_share - verify_share)),
    )
    await writeZip(index, folder, out)
    await verifyDelta({
      path: out,
      expected: index.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
      old,
      zstd,
      on_progress: (done) => on_progress(100 - verify_share + done * verify_share),
    })
    return facts
  } finally {
    await target.close()
  }
}

function assertSize(tree: Tree): void {
  if (sizeOf(tree) > unpacked_bytes_max) throw beyondLimits('it unpacks to far too much')
}

/** Names by which a device would take a file for something else. */
function assertFree({ files, folders }: Tree): void {
  const own = os_delta_folder.slice('DOWNLOAD/'.length, -1)
  for (const path of [...folders, ...files.map((file) => file.path)])
    if (path === '.removed' || path === own || path.startsWith(`${own}/`))
      throw invalid(`${path} is a name of devices’ own`)
}

async function unpackOld(path: string, folder: string, on_progress: (done: number) => void) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const tree = await openTree(path)
  try {
    assertSize(tree)
    const old = new Map<string, OldFile>()
    const total = sizeOf(tree)
    let done = 0
    for (const [number, file] of tree.files.entries()) {
      const place = join(folder, String(number))
      const { size, sha256 } = await unpackTo(place, file)
      old.set(file.path, { place, size, sha256 })
      on_progress((done += size) / total)
    }
    old.delete(device_own)
    return old
  } finally {
    await tree.close()
  }
}

async function unpackTo(place: string, file: TreeFile): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(
    file.stream(),
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece)
        size += piece.length
        yield piece
      }
    },
    createWriteStream(place, { mode: 0o600 }),
  )
  return { size, sha256: hash.digest('hex') }
}

const sizeOf = ({ files }: Tree): number =>
  Math.max(
    1,
    files.reduce((sum, { size }) => sum + size, 0),
  )

async function writeData(target: Tree, old: OldFiles, folder: string, zstd: Zstd, on_progress: (done: number) => void) {
  const find = finder(old)
  const data = await open(join(folder, 'data'), 'w', 0o600)
  const facts: DeltaFacts = { files: target.files.length, same: 0, bytes: 0, new_bytes: 0 }
  const total = sizeOf(target)
  const files: OsDeltaFile[] = []
  try {
    for (const file of target.files) {
      const place = join(folder, 'new')
      const { size, sha256 } = await unpackTo(place, file)
      const same = find.same(file.path, sha256)
      const before = facts.bytes
      if (same !== undefined) {
        facts.same += 1
        files.push({ path: file.path, size, sha256, same })
      } else {
        const base = find.like(file.path)
        const on_piece = (bytes: number) => on_progress((before + bytes) / total)
        const pieces = await writePieces({ place, size, base, old, data, zstd, on_piece })
        facts.new_bytes += pieces.reduce((sum, { packed }) => sum + packed, 0)
        files.push({ path: file.path, size, sha256, pieces })
      }
      facts.bytes += size
      on_progress(facts.bytes / total)
      await rm(place, { force: true })
    }
  } finally {
    await data.close()
  }
  const index: OsDelta = { format: 'mdm-delta-1', folders: target.folders, files }
  return { index, facts }
}

type Writing = {
  place: string
  size: number
  base: string | undefined
  old: OldFiles
  data: FileHandle
  zstd: Zstd
  on_piece: (bytes: number) => void
}
async function writePieces({ place, size, base, old, data, zstd, on_piece }: Writing) {
  const pieces: NonNullable<OsDeltaFile['pieces']> = []
  const file = await open(place, 'r')
  const base_file = base === undefined ? undefined : await open(old.get(base)!.place, 'r')
  try {
    for (let at = 0; at < size;) {
      const bytes = await part(file, at, Math.min(osDeltaLimits.piece_bytes, size - at))
      const region = regionOf(at, bytes.length, base === undefined ? 0 : old.get(base)!.size)
      const dictionary = base_file ? await part(base_file, region.at, region.size) : Buffer.alloc(0)
      const has_base = isRaw(dictionary)
      const packed = zstd.pack(bytes, has_base ? dictionary : Buffer.alloc(0))
      await data.write(packed)
      pieces.push({
        size: bytes.length,
        packed: packed.byteLength,
        ...(has_base && { base: { path: base!, ...region } }),
      })
      at += bytes.length
      on_piece(at)
    }
    return pieces
  } finally {
    await base_file?.close()
    await file.close()
  }
}

/** Around the same place, as much as a dictionary may have. */
function regionOf(at: number, length: number, size: number): { at: number; size: number } {
  const wanted = Math.min(size, osDeltaLimits.base_bytes)
  const before = Math.floor((wanted - length) / 2)
  const start = Math.max(0, Math.min(size - wanted, at - before))
  return { at: start, size: wanted }
}

async function part(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, at)
  if (bytesRead !== length) throw new Error('a file that was just unpacked ends early')
  return buffer
}

/** What of the old version a file is, or is most like: the same path, else the same name where the paths have most in common. */
function finder(old: OldFiles) {
  const by_content = new Map<string, string>()
  const by_name = new Map<string, string[]>()
  for (const [path, { sha256, size }] of old) {
    if (!by_content.has(sha256)) by_content.set(sha256, path)
    if (size > 0) by_name.set(basename(path), [...(by_name.get(basename(path)) ?? []), path])
  }
  return {
    same: (path: string, sha256: string) => (old.get(path)?.sha256 === sha256 ? path : by_content.get(sha256)),
    like(path: string): string | undefined {
      const there = old.get(path)
      if (there && there.size > 0) return path
      const alike = (by_name.get(basename(path)) ?? []).map((other) => ({ other, common: inCommon(path, other) }))
      return alike.toSorted((a, b) => b.common - a.common || (a.other < b.other ? -1 : 1))[0]?.other
    },
  }
}

function inCommon(a: string, b: string): number {
  const other = new Set(dirname(b).split('/'))
  return dirname(a)
    .split('/')
    .filter((step) => other.has(step)).length
}

async function writeZip(index: OsDelta, folder: string, out: string): Promise<void> {
  const text = JSON.stringify(index)
  const path = join(folder, 'index')
  await writeFile(path, text, { mode: 0o600 })
  const data = join(folder, 'data')
  const zip = new ZipFile()
  zip.addFile(path, os_delta_index, stamp)
  zip.addFile(data, os_delta_data, { ...stamp, compress: false })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(out, { mode: 0o600 }))
}
