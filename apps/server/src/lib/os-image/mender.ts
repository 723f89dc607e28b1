import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { beyondLimits, bytesAt, inMemory, invalid } from '../apk/source.ts'
import type { ByteSource } from '../apk/source.ts'
import type { OsImageSays } from './image.ts'
import { tarMembers } from './tar.ts'

const part_max = 1024 ** 2
const header_max = 8 * 1024 ** 2

const Version = z.object({ format: z.literal('mender'), version: z.number().int().min(2).max(3) })
const texts = z.array(z.string()).max(1_000)
const HeaderInfo = z.object({
  artifact_provides: z.object({ artifact_name: z.string() }).optional(),
  artifact_depends: z.object({ device_type: texts.optional() }).nullish(),
  // Of the format before.
  artifact_name: z.string().optional(),
  device_types_compatible: texts.optional(),
})

/** An artifact of Mender: a tar of its version, digests, header and data. Throws ApkError. */
export async function readMender(source: ByteSource): Promise<OsImageSays> {
  const members = await tarMembers(source)
  const find = (is: (name: string) => boolean) => members.find(({ name }) => is(name))
  const content = async (is: (name: string) => boolean, what: string) => {
    const member = find(is)
    if (!member) throw invalid(`it has no ${what}`)
    if (member.size > part_max) throw beyondLimits(`${what} is too long`)
    return { name: member.name, bytes: await bytesAt(source, member.start, member.size) }
  }
  if (members[0]?.name !== 'version') throw invalid('it does not begin with its version')
  const version = await content((name) => name === 'version', 'version')
  if (!Version.safeParse(parsed(version.bytes)).success) throw invalid('its version is no version of Mender')
  const manifest = (await content((name) => name === 'manifest', 'manifest')).bytes.toString('utf8')
  const header = await content((name) => /^header\.tar(\.\w+)?$/.test(name), 'header')
  if (!find((name) => /^data\/\d{4}\.tar(\.\w+)?$/.test(name))) throw invalid('it has no data')
  for (const { name, bytes } of [version, header]) {
    const digest = createHash('sha256').update(bytes).digest('hex')
    if (!manifest.split('\n').includes(`${digest}  ${name}`)) throw invalid(`the digest of ${name} is another one`)
  }
  return factsOf(header)
}

/** Its header is read where it is packed with gzip or not at all; otherwise nobody knows what it says. */
async function factsOf({ name, bytes }: { name: string; bytes: Buffer }): Promise<OsImageSays> {
  const packing = name.slice('header.tar'.length)
  if (packing !== '' && packing !== '.gz') return { version: null, hardware: [] }
  const tar = inMemory(packing === '' ? bytes : unzipped(bytes))
  const info = (await tarMembers(tar)).find((member) => member.name === 'header-info')
  if (!info) throw invalid('its header has no header-info')
  const { data } = HeaderInfo.safeParse(parsed(await bytesAt(tar, info.start, info.size)))
  if (!data) throw invalid('its header-info cannot be read')
  return {
    version: data.artifact_provides?.artifact_name ?? data.artifact_name ?? null,
    hardware: data.artifact_depends?.device_type ?? data.device_types_compatible ?? [],
  }
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: header_max })
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
