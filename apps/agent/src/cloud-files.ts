import { httpRequest } from '#platform'
import { createHash } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import * as z from 'zod'
import { bulkRequest } from './bulk.ts'
import type { Credentials } from './enrol.ts'

const Entry = z.object({
  kid: z.uuid(),
  name: z.string(),
  is_folder: z.boolean(),
  size: z.number().int().min(0),
  sha256: z.string(),
  url: z.string().nullable(),
})
export type CloudEntry = z.infer<typeof Entry>
const Part = z.object({
  result: z.literal(1),
  data: z.object({ items: z.array(Entry), next: z.string().nullable() }),
})

/** What this device sees in a folder of its account's file cloud; the top when there is no kid. */
async function folderOf(credentials: Credentials, folder: string | undefined): Promise<CloudEntry[]> {
  const all: CloudEntry[] = []
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ ...(folder && { folder }), ...(after !== null && { after }) })
    const { url, headers } = bulkRequest(credentials, `/device/files?${query}`)
    const response = await httpRequest(url, { headers, signal: AbortSignal.timeout(60_000) })
    const part = Part.safeParse(await response.json().catch(() => undefined)).data
    if (!part) throw new Error(`The server does not show this folder: HTTP ${response.status}`)
    all.push(...part.data.items)
    if (part.data.next === null) return all
    after = part.data.next
  }
}

const named = (entries: readonly CloudEntry[], name: string): CloudEntry => {
  const found = entries.find((entry) => entry.name.toLowerCase() === name.normalize('NFC').toLowerCase())
  if (!found) throw new Error(`There is no ${name}`)
  return found
}

/** What is in the folder of this path of names, such as `Prices/2026`. */
export async function cloudFolder(credentials: Credentials, path: string): Promise<CloudEntry[]> {
  let entries = await folderOf(credentials, undefined)
  for (const name of path.split('/').filter(Boolean)) entries = await folderOf(credentials, named(entries, name).kid)
  return entries
}

/** Fetches the file of this path to a place of this machine; it is there once its digest is right. */
export async function fetchCloudFile(credentials: Credentials, path: string, to: string): Promise<CloudEntry> {
  const names = path.split('/').filter(Boolean)
  const file = named(await cloudFolder(credentials, names.slice(0, -1).join('/')), names.at(-1) ?? '')
  if (file.url === null) throw new Error(`${path} is a folder`)
  const { url, headers } = bulkRequest(credentials, file.url)
  const response = await httpRequest(url, { headers, signal: new AbortController().signal })
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`)
  const part = `${to}.part`
  const hash = createHash('sha256')
  const place = await open(part, 'w', 0o644)
  try {
    for await (const chunk of response.body) {
      hash.update(chunk)
      await place.writeFile(chunk)
    }
    await place.datasync()
  } finally {
    await place.close()
  }
  if (hash.digest('hex') !== file.sha256) {
    await rm(part, { force: true })
    throw new Error(`${path}: the bytes are not those that were announced`)
  }
  await rename(part, to)
  return file
}
