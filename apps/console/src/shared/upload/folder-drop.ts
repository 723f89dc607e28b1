import { nameFault } from '../../lib/file-names.ts'

/** A file and the names of the folders that it was in when it was dropped or chosen. */
export type Found = { file: File; folders: readonly string[] }

/** Everything below what was dropped, folders without files included. Entries must be taken before the drop's event ends. */
export async function filesBelow(entries: readonly FileSystemEntry[]): Promise<{ found: Found[]; empty: string[][] }> {
  const found: Found[] = []
  const empty: string[][] = []
  const walk = async (entry: FileSystemEntry, folders: readonly string[]): Promise<void> => {
    if (entry.isFile) return void found.push({ file: await fileOf(entry as FileSystemFileEntry), folders })
    const path = [...folders, entry.name]
    const within = await allOf(entry as FileSystemDirectoryEntry)
    if (within.length === 0) empty.push(path)
    for (const each of within) await walk(each, path)
  }
  for (const entry of entries) await walk(entry, [])
  return { found, empty }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A browser hands out at most a hundred at a time. */
async function allOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return all
    all.push(...part)
  }
}

/** Of an input that takes a whole folder. */
export const filesChosen = (files: readonly File[]): Found[] =>
  files.map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }))

/** Those that can be kept, and those that cannot because of a name on their way. */
export function sorted(found: readonly Found[]): { valid: Found[]; invalid: Found[] } {
  const isValid = ({ file, folders }: Found) => [...folders, file.name].every((name) => !nameFault(name))
  return { valid: found.filter(isValid), invalid: found.filter((each) => !isValid(each)) }
}

/** Files by the folder that they go into: its names joined by `/`, which no name has. */
export function byFolder(found: readonly Found[]): Map<string, Found[]> {
  const all = new Map<string, Found[]>()
  for (const each of found) {
    const path = each.folders.join('/')
    all.set(path, [...(all.get(path) ?? []), each])
  }
  return all
}
