import { gunzipSync } from 'node:zlib'
import { AppManifest } from '@mdm/device-link'
import { bytesAt, invalid } from './source.ts'
import type { ByteSource } from './source.ts'

/** What packages for terminals that run Linux say of themselves; null is what they do not say. */
export type LinuxFacts = {
  package: string | null
  version_name: string | null
  version_code: number | null
  label: string | null
  abis: string[]
}

const nothing: LinuxFacts = { package: null, version_name: null, version_code: null, label: null, abis: [] }

/** At the root of a zip that is an app. */
export const app_manifest_name = 'mdm-app.json'
/** What runs it is for devices to judge. */
const Facts = AppManifest.omit({ start: true, check: true })

export function readAppManifest(bytes: Buffer): LinuxFacts {
  let said: unknown
  try {
    said = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw invalid(`${app_manifest_name} is not JSON`)
  }
  const { data } = Facts.safeParse(said)
  // Devices refuse it.
  if (!data) throw invalid(`${app_manifest_name} lacks package or version`)
  return {
    package: data.package,
    version_name: data.version,
    version_code: data.version_code ?? null,
    label: data.title ?? null,
    abis: data.abis ?? [],
  }
}

const magic = '!<arch>\n'
const member_header_bytes = 60
const members_max = 20
const control_packed_max = 1024 ** 2
const control_max = 8 * 1024 ** 2
const tar_block = 512

export const isDeb = async (source: ByteSource): Promise<boolean> =>
  (await source.read(0, magic.length)).toString('latin1') === magic

/**
 * The facts of a Debian package. Its control is read where it is packed with gzip, or not at all; otherwise facts are null,
 * and people type them.
 */
export async function readDeb(source: ByteSource): Promise<LinuxFacts> {
  const members = await membersOf(source)
  const has = (name: string) => members.find((member) => member.name.startsWith(name))
  const control = has('control.tar')
  if (!has('debian-binary') || !control || !has('data.tar')) throw invalid('no Debian package')
  const packing = control.name.slice('control.tar'.length)
  if ((packing !== '' && packing !== '.gz') || control.size > control_packed_max) return nothing
  const bytes = await bytesAt(source, control.start, control.size)
  const text = fileIn(packing === '' ? bytes : unzipped(bytes), 'control')
  return text === undefined ? nothing : factsOf(text.toString('utf8'))
}

type Member = { name: string; start: number; size: number }
async function membersOf(source: ByteSource): Promise<Member[]> {
  const members: Member[] = []
  for (let at = magic.length; at + member_header_bytes <= source.size && members.length < members_max;) {
    const header = (await bytesAt(source, at, member_header_bytes)).toString('latin1')
    const size = Number(/^(\d+) *$/.exec(header.slice(48, 58))?.[1])
    const start = at + member_header_bytes
    if (!header.endsWith('`\n') || !Number.isSafeInteger(size) || start + size > source.size)
      throw invalid('a member of the archive ends early')
    members.push({ name: header.slice(0, 16).trimEnd().replace(/\/$/, ''), start, size })
    at = start + size + (size % 2)
  }
  return members
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: control_max })
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

/** A plain file at the root of a tar. */
function fileIn(tar: Buffer, wanted: string): Buffer | undefined {
  for (let at = 0; at + tar_block <= tar.length;) {
    const field = (start: number, length: number) =>
      tar.toString('latin1', at + start, at + start + length).replace(/\0.*$/s, '')
    const name = field(0, 100)
    if (name === '') return undefined
    const size = parseInt(field(124, 12).trim() || '0', 8)
    if (!Number.isSafeInteger(size) || size < 0) throw invalid('a size in the archive is no number')
    const start = at + tar_block
    if (name.replace(/^\.\//, '') === wanted) return tar.subarray(start, start + size)
    at = start + Math.ceil(size / tar_block) * tar_block
  }
  return undefined
}

const abiOf: Record<string, string> = {
  amd64: 'x86_64',
  i386: 'x86',
  arm64: 'arm64-v8a',
  armhf: 'armeabi-v7a',
  armel: 'armeabi',
  riscv64: 'riscv64',
}

function factsOf(control: string): LinuxFacts {
  const field = (name: string) => new RegExp(`^${name}: *(.+)$`, 'm').exec(control)?.[1]?.trim() ?? null
  const abi = abiOf[field('Architecture') ?? '']
  return {
    package: field('Package'),
    version_name: field('Version'),
    version_code: null,
    label: field('Description'),
    abis: abi ? [abi] : [],
  }
}
