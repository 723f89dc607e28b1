import { bytesAt, beyondLimits, invalid } from '../apk/source.ts'
import type { ByteSource } from '../apk/source.ts'
import { cpioMembers } from './cpio.ts'
import type { OsImageSays } from './image.ts'
import { readSettings } from './settings-text.ts'
import type { Setting } from './settings-text.ts'

const description = 'sw-description'
const description_max = 1024 ** 2
const depth_max = 12

/** An image of SWUpdate: a cpio archive that begins with its description. Throws ApkError. */
export async function readSwu(source: ByteSource): Promise<OsImageSays> {
  const members = await cpioMembers(source)
  const [first] = members
  if (first?.name !== description) throw invalid(`its first file is not ${description}`)
  if (first.size > description_max) throw beyondLimits(`${description} is too long`)
  const text = (await bytesAt(source, first.start, first.size)).toString('utf8')
  const software = part(part(readSettings(text))?.['software'])
  if (!software) throw invalid(`${description} describes no software`)
  const names = new Set(members.map(({ name }) => name))
  const found: { hardware: string[]; files: string[] } = { hardware: [], files: [] }
  look(software, [], found)
  const lacking = found.files.find((name) => !names.has(name))
  if (lacking !== undefined) throw invalid(`${lacking} is described, and not there`)
  const { version } = software
  return { version: typeof version === 'string' ? version : null, hardware: found.hardware }
}

const part = (value: Setting | undefined): Record<string, Setting> | undefined =>
  typeof value === 'object' && !Array.isArray(value) ? value : undefined

/** Boards are named by the group that says with which revisions it goes. */
function look(value: Setting, path: string[], found: { hardware: string[]; files: string[] }): void {
  if (typeof value === 'string' || path.length > depth_max) return
  if (Array.isArray(value)) {
    for (const each of value) look(each, [...path, ''], found)
    return
  }
  for (const [key, each] of Object.entries(value)) {
    if (key === 'hardware-compatibility' && Array.isArray(each)) {
      const board = path[0] === undefined ? '' : `${path[0]}:`
      found.hardware.push(...each.flatMap((revision) => (typeof revision === 'string' ? `${board}${revision}` : [])))
    } else if (key === 'filename' && typeof each === 'string') found.files.push(each)
    else look(each, [...path, key], found)
  }
}
