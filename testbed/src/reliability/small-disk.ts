import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mounted: string[] = []
/** A file system of so many MiB; undefined where this user may not mount one. */
export function smallDisk(mib: number): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'mdm-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', path], { stdio: 'ignore' })
  if (status !== 0) {
    rmSync(path, { recursive: true })
    return undefined
  }
  mounted.push(path)
  return path
}
function unmount(path: string): void {
  spawnSync('umount', ['-l', path], { stdio: 'ignore' })
  rmSync(path, { recursive: true, force: true })
}
/** At the end of a test file: files share a process. */
export const unmountDisks = (): void => mounted.splice(0).forEach(unmount)

/** To the last byte. */
export function fill(disk: string): () => void {
  const path = join(disk, 'filler')
  const file = openSync(path, 'a')
  for (const size of [1 << 20, 1 << 12, 1])
    try {
      for (const piece = Buffer.alloc(size, 1); ;) writeSync(file, piece)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  closeSync(file)
  return () => rmSync(path, { force: true })
}

/** What is made in temporary folders meanwhile lies on this disk. */
export async function withFolders<T>(disk: string, make: () => Promise<T>): Promise<T> {
  const outer = process.env['TMPDIR']
  process.env['TMPDIR'] = disk
  try {
    return await make()
  } finally {
    if (outer === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = outer
  }
}

const probe = smallDisk(8)
export const cannot_mount = probe === undefined ? ' (skipped: this user may not mount a tmpfs)' : ''
if (probe) unmount(probe)
