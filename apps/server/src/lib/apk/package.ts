import { createHash } from 'node:crypto'
import type { AppSetting } from '@mdm/contract'
import { fileNameKey } from '@mdm/contract/file-names.ts'
import type { Entry } from 'yauzl'
import { openArchive, readDirectory } from './archive.ts'
import type { Archive } from './archive.ts'
import type { Value } from './chunks.ts'
import { app_manifest_name, isDeb, readAppManifest, readDeb } from './linux-package.ts'
import type { LinuxFacts } from './linux-package.ts'
import { line } from './line.ts'
import { readManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import { assertOnce, pathOf } from './paths.ts'
import { no_resources, readResources } from './resources.ts'
import type { Found, Resources } from './resources.ts'
import { readRestrictions } from './restrictions.ts'
import { readSigner } from './signer.ts'
import type { Scheme } from './signer.ts'
import { readSigningBlock } from './signing-block.ts'
import { ApkError, beyondLimits, invalid } from './source.ts'
import { abis, isGoodPart, nameOf, splitNamed, splitOf } from './splits.ts'
import type { Split } from './splits.ts'
import type { ByteSource } from './source.ts'

export type PackageKind = 'apk' | 'apks' | 'xapk' | 'deb' | 'zip'
export type PackageIcon = { content_type: 'image/png' | 'image/webp'; bytes: Buffer }
/** What a package says of itself. Null is what it does not say, or says in a way that cannot be read. */
export type PackageFacts = {
  kind: PackageKind
  package: string | null
  version_name: string | null
  version_code: number | null
  label: string | null
  icon: PackageIcon | null
  min_sdk: number | null
  target_sdk: number | null
  abis: string[]
  permissions: string[]
  /** SHA-1 of the signers' certificates, in hexadecimal digits. */
  signers: string[]
  /** `none` is that of packages for Linux, whose makers sign in other ways. */
  scheme: Scheme | 'none'
  /** Of a package in several APKs: those that are installed together, the base first. */
  splits: Split[]
  /** Names of what is in the package and is not put on devices: other programs, expansion files. */
  left_out: string[]
  /** It has an icon, and none that can be shown: a drawing of Android's. */
  is_icon_unshown: boolean
  /** What can be set of it from outside. */
  settings: AppSetting[]
}

const manifest_name = 'AndroidManifest.xml'
const resources_name = 'resources.arsc'
const manifest_bytes_max = 4 * 1024 ** 2
const resources_bytes_max = 32 * 1024 ** 2
const icon_bytes_max = 512 * 1024
const restrictions_bytes_max = 1024 ** 2
/** A part of a split package that is packed has to be unpacked into memory. */
const part_bytes_max = 64 * 1024 ** 2
/** What is unpacked of all parts to read what they are; those beyond it are told by their names. */
const parts_bytes_max = 256 * 1024 ** 2
const parts_max = 200
const library = /^lib\/([A-Za-z0-9_-]{1,20})\/[^/]+$/
const package_name = /^(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*)*|[a-z0-9][a-z0-9+.-]+)$/
const app_manifest_bytes_max = 64 * 1024
/** As the agent has it. */
const app_bytes_max = 4 * 1024 ** 3

/**
 * The facts of an APK, or of a package in several APKs (.apks, .xapk), which are those of its base. The archive has to be
 * sound and signed; a manifest that cannot be read leaves facts null. The signature is read and not verified: the device
 * does that. Packages for Linux (.deb, or a .zip with a manifest of its own) are told by what is in them, too. Throws ApkError.
 */
export async function readPackage(source: ByteSource): Promise<PackageFacts> {
  if (await isDeb(source)) return linuxFacts('deb', await readDeb(source))
  const wanted: readonly string[] = ['manifest.json', 'icon.png', app_manifest_name]
  const found = await openPackage(source, (name) => wanted.includes(name) || isPart(name) || isExpansion(name))
  if (found.manifest) {
    const facts = await factsOf(source, found, 'apk')
    await found.archive.verify()
    return facts
  }
  const app_manifest = found.archive.entries.find((entry) => nameOf(entry) === app_manifest_name)
  if (app_manifest) {
    await assertUnpackable(source)
    const facts = readAppManifest(await found.archive.content(app_manifest, app_manifest_bytes_max))
    await found.archive.verify()
    return linuxFacts('zip', facts)
  }
  const parts = found.archive.entries.filter((entry) => isPart(nameOf(entry)))
  if (parts.length === 0) throw invalid('neither an APK nor one in parts')
  if (parts.length > parts_max) throw beyondLimits('too many parts')
  const is_xapk = found.archive.entries.some((entry) => nameOf(entry) === 'manifest.json')
  if (!parts.every((entry) => isGoodPart(nameOf(entry)))) throw invalid('a part with a name that cannot be told')
  assertOnce(parts.map((entry) => fileNameKey(nameOf(entry))))
  const { base, facts } = await baseOf(found.archive, parts, is_xapk ? 'xapk' : 'apks')
  const { splits, left_out } = await splitsOf(found.archive, parts, base)
  const expansions = found.archive.entries.map(nameOf).filter(isExpansion)
  await found.archive.verify()
  const named = splits.flatMap(({ abi }) => abi ?? [])
  const beside = found.archive.entries.find((entry) => nameOf(entry) === 'icon.png')
  const icon = facts.icon ?? (beside ? await iconOf(found.archive, beside) : null)
  return {
    ...facts,
    splits,
    left_out: [...left_out, ...expansions].slice(0, left_out_max).flatMap((name) => line(fromUtf8(name), 200) ?? []),
    abis: known([...facts.abis, ...named]),
    icon,
    is_icon_unshown: facts.is_icon_unshown && icon === null,
  }
}

/** What devices would refuse to unpack is refused here, before it reaches thousands of them. */
async function assertUnpackable(source: ByteSource): Promise<void> {
  const directory = await readDirectory(source)
  const { entries } = await openArchive(source, directory, directory.start, () => true)
  // The storage of Linux devices tells cases apart, and composition on some of them only.
  assertOnce(entries.map((entry) => pathOf(entry).normalize('NFC')))
  if (entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > app_bytes_max)
    throw beyondLimits('more than devices unpack')
}

const linuxFacts = (kind: PackageKind, facts: LinuxFacts): PackageFacts => ({
  kind,
  package: facts.package && isPackageName(facts.package) ? facts.package : null,
  version_name: line(facts.version_name, 100),
  version_code: facts.version_code,
  label: line(facts.label, 100),
  icon: null,
  min_sdk: null,
  target_sdk: null,
  abis: facts.abis,
  permissions: [],
  signers: [],
  scheme: 'none',
  splits: [],
  left_out: [],
  is_icon_unshown: false,
  settings: [],
})

const isPart = (name: string): boolean => /\.apk$/i.test(name)
/** OBB: what large games have beside their APK, in a folder of their own on the device. */
const isExpansion = (name: string): boolean => /\.obb$/i.test(name)
const left_out_max = 50
const fromUtf8 = (name: string): string => Buffer.from(name, 'latin1').toString('utf8')

type Opened = {
  archive: Archive
  manifest: Entry | undefined
  resources: Entry | undefined
  abis: string[]
  /** The content of an entry that was not known to be wanted before; undefined of one that is not there, twice, or too large. */
  contentOf(name: string, bytes_max: number): Promise<Buffer | undefined>
}
async function openPackage(source: ByteSource, wanted: (name: string) => boolean): Promise<Opened> {
  const directory = await readDirectory(source)
  const block = await readSigningBlock(source, directory.start)
  const found = new Set<string>()
  const data_end = block?.start ?? directory.start
  const archive = await openArchive(source, directory, data_end, (name) => {
    const [, abi] = library.exec(name) ?? []
    if (abi !== undefined) found.add(abi)
    return name === manifest_name || name === resources_name || isPicture(name) || wanted(name)
  })
  const one = (name: string) => {
    const entries = archive.entries.filter((entry) => nameOf(entry) === name)
    // Readers differ in which one they take.
    if (entries.length > 1) throw invalid(`${name} is there twice`)
    return entries[0]
  }
  async function contentOf(name: string, bytes_max: number): Promise<Buffer | undefined> {
    const { entries, content } = await openArchive(source, directory, data_end, (other) => other === name)
    const [entry, ...others] = entries
    return entry && others.length === 0 && entry.uncompressedSize <= bytes_max ? content(entry, bytes_max) : undefined
  }
  return { archive, manifest: one(manifest_name), resources: one(resources_name), abis: known([...found]), contentOf }
}
const isPicture = (name: string): boolean => /\.(png|webp)$/i.test(name)
const known = (found: readonly string[]): string[] => abis.filter((abi) => found.includes(abi))

/** The part that is no split of another; those that are called so are looked at first. */
type Base = { base: Entry; facts: PackageFacts }
async function baseOf(archive: Archive, parts: Entry[], kind: PackageKind): Promise<Base> {
  const weight = (entry: Entry) =>
    /(?:^|\/)(?:base|base-master|universal|standalone)\.apk$/i.test(nameOf(entry)) ? 1 : 0
  const inOrder = parts.toSorted((a, b) => weight(b) - weight(a) || b.uncompressedSize - a.uncompressedSize)
  let unreadable: Base | undefined
  for (const part of inOrder) {
    const source = await archive.source(part, part_bytes_max)
    const opened = await openPackage(source, () => false)
    if (!opened.manifest) throw invalid('a part is no APK')
    const manifest = await manifestOf(opened)
    if (manifest?.split !== undefined) continue
    const found = { base: part, facts: await factsOf(source, opened, kind) }
    await opened.archive.verify()
    if (manifest) return found
    unreadable ??= found
  }
  return unreadable ?? fail('a package of splits without a base')
}

/**
 * The parts that are installed with the base: those that declare themselves its splits, or that the archive names so. A part that
 * is a whole program of its own (for devices without splits) is none of them.
 */
async function splitsOf(
  archive: Archive,
  parts: Entry[],
  base: Entry,
): Promise<{ splits: Split[]; left_out: string[] }> {
  const splits: Split[] = []
  const left_out: string[] = []
  let unpacked = 0
  for (const part of parts) {
    if (part === base) continue
    const file = nameOf(part)
    const is_packed = part.compressionMethod !== 0
    const bytes = is_packed ? part.uncompressedSize : 0
    const is_read = bytes <= part_bytes_max && unpacked + bytes <= parts_bytes_max
    if (is_read) unpacked += bytes
    const split = is_read ? (await manifestOfPart(archive, part))?.split : undefined
    const found = split === undefined ? splitNamed(file) : splitOf(file, split)
    if (found) splits.push(found)
    else left_out.push(file)
  }
  const first = { file: nameOf(base), is_base: true, abi: null, density: null, language: null }
  return { splits: [first, ...splits], left_out }
}

async function manifestOfPart(archive: Archive, part: Entry): Promise<Manifest | undefined> {
  const opened = await openPackage(await archive.source(part, part_bytes_max), () => false)
  if (!opened.manifest) throw invalid('a part is no APK')
  const manifest = await manifestOf(opened)
  await opened.archive.verify()
  return manifest
}

const fail = (message: string): never => {
  throw invalid(message)
}

async function manifestOf({ archive, manifest }: Opened): Promise<Manifest | undefined> {
  const bytes = await archive.content(manifest!, manifest_bytes_max)
  return decoded(() => readManifest(bytes))
}

async function factsOf(source: ByteSource, opened: Opened, kind: PackageKind): Promise<PackageFacts> {
  const { scheme, certificates } = await readSigner(source)
  const manifest = await manifestOf(opened)
  const resources = await resourcesOf(opened)
  const textOf = (value: string | Value | undefined): string | null =>
    (typeof value === 'object' ? inEnglish(decoded(() => resources.texts(value)) ?? []) : value) ?? null
  const icon = manifest?.icon
    ? await bestIcon(opened.archive, decoded(() => resources.texts(manifest.icon!)) ?? [])
    : null
  return {
    kind,
    package: manifest?.package && isPackageName(manifest.package) ? manifest.package : null,
    version_name: line(textOf(manifest?.version_name), 100),
    version_code: manifest?.version_code ?? null,
    label: line(textOf(manifest?.label), 100),
    icon,
    min_sdk: sdk(manifest?.min_sdk),
    target_sdk: sdk(manifest?.target_sdk),
    abis: opened.abis,
    permissions: (manifest?.permissions ?? []).flatMap((permission) => line(permission, 200) ?? []),
    signers: certificates.map((certificate) => createHash('sha1').update(certificate).digest('hex')),
    scheme,
    splits: [],
    left_out: [],
    is_icon_unshown: manifest?.icon !== undefined && icon === null,
    settings: manifest?.restrictions ? await settingsOf(opened, manifest.restrictions, resources) : [],
  }
}

/** Of a file that is not there, or not as Android writes it, none. */
async function settingsOf({ contentOf }: Opened, file: Value, resources: Resources): Promise<AppSetting[]> {
  const [found] = decoded(() => resources.texts(file)) ?? []
  const bytes = found && (await contentOf(found.text, restrictions_bytes_max))
  return (bytes && decoded(() => readRestrictions(bytes, resources))) ?? []
}

const isPackageName = (name: string): boolean => name.length <= 200 && package_name.test(name)
const sdk = (level: number | undefined): number | null => (level !== undefined && level <= 10_000 ? level : null)

async function resourcesOf({ archive, resources }: Opened): Promise<Resources> {
  if (!resources || resources.uncompressedSize > resources_bytes_max) return no_resources
  const bytes = await archive.content(resources, resources_bytes_max)
  return decoded(() => readResources(bytes)) ?? no_resources
}

/** Undefined for what is not as Android writes it: then facts are missing, and people type them. */
function decoded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof ApkError || error instanceof RangeError) return undefined
    throw error
  }
}

/** The default, then English, then whatever there is. */
const inEnglish = (found: Found[]): string | undefined =>
  (found.find(({ language }) => language === '') ?? found.find(({ language }) => language === 'en') ?? found[0])?.text

/** The sharpest picture; drawings in XML are for devices. */
async function bestIcon(archive: Archive, found: Found[]): Promise<PackageIcon | null> {
  const pictures = found.filter(({ text }) => isPicture(text)).toSorted((a, b) => b.density - a.density)
  for (const { text } of pictures) {
    const entry = archive.entries.find((each) => nameOf(each) === text)
    const icon = entry && (await iconOf(archive, entry))
    if (icon) return icon
  }
  return null
}

async function iconOf(archive: Archive, entry: Entry): Promise<PackageIcon | null> {
  if (entry.uncompressedSize > icon_bytes_max) return null
  const bytes = await archive.content(entry, icon_bytes_max)
  const content_type = pictureType(bytes)
  return content_type === 'image/png' || content_type === 'image/webp' ? { content_type, bytes } : null
}

/** By its first bytes. */
function pictureType(bytes: Buffer): 'image/png' | 'image/webp' | 'image/jpeg' | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'image/png'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp'
  return bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) ? 'image/jpeg' : undefined
}
