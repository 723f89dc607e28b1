import { createHash } from 'node:crypto'
import type { Entry } from 'yauzl'
import { openArchive, readDirectory } from './archive.ts'
import type { Archive } from './archive.ts'
import type { Value } from './chunks.ts'
import { app_manifest_name, isDeb, readAppManifest, readDeb } from './linux-package.ts'
import type { LinuxFacts } from './linux-package.ts'
import { readManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import { readResources } from './resources.ts'
import type { Found, Resources } from './resources.ts'
import { readSigner } from './signer.ts'
import type { Scheme } from './signer.ts'
import { readSigningBlock } from './signing-block.ts'
import { ApkError, beyondLimits, invalid } from './source.ts'
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
}

const manifest_name = 'AndroidManifest.xml'
const resources_name = 'resources.arsc'
const manifest_bytes_max = 4 * 1024 ** 2
const resources_bytes_max = 32 * 1024 ** 2
const icon_bytes_max = 512 * 1024
/** A part of a split package that is packed has to be unpacked into memory. */
const part_bytes_max = 64 * 1024 ** 2
/** Parts that are looked at for the base. */
const parts_max = 200
const library = /^lib\/([A-Za-z0-9_-]{1,20})\/[^/]+$/
const abis = ['arm64-v8a', 'armeabi-v7a', 'armeabi', 'x86_64', 'x86', 'riscv64', 'mips64', 'mips'] as const
const package_name = /^(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*)*|[a-z0-9][a-z0-9+.-]+)$/
const app_manifest_bytes_max = 64 * 1024

/**
 * The facts of an APK, or of a package in several APKs (.apks, .xapk), which are those of its base. The archive has to be
 * sound and signed; a manifest that cannot be read leaves facts null. The signature is read and not verified: the device
 * does that. Packages for Linux (.deb, or a .zip with a manifest of its own) are told by what is in them, too. Throws ApkError.
 */
export async function readPackage(source: ByteSource): Promise<PackageFacts> {
  if (await isDeb(source)) return linuxFacts('deb', await readDeb(source))
  const wanted: readonly string[] = ['manifest.json', 'icon.png', app_manifest_name]
  const found = await openPackage(source, (name) => wanted.includes(name) || isPart(name))
  if (found.manifest) return factsOf(source, found, 'apk')
  const app_manifest = found.archive.entries.find((entry) => nameOf(entry) === app_manifest_name)
  if (app_manifest)
    return linuxFacts('zip', readAppManifest(await found.archive.content(app_manifest, app_manifest_bytes_max)))
  const parts = found.archive.entries.filter((entry) => isPart(nameOf(entry)))
  if (parts.length === 0) throw invalid('neither an APK nor one in parts')
  if (parts.length > parts_max) throw beyondLimits('too many parts')
  const is_xapk = found.archive.entries.some((entry) => nameOf(entry) === 'manifest.json')
  const facts = await baseOf(found.archive, parts, is_xapk ? 'xapk' : 'apks')
  const named = parts.flatMap((entry) => abisNamedIn(nameOf(entry)))
  const beside = found.archive.entries.find((entry) => nameOf(entry) === 'icon.png')
  return {
    ...facts,
    abis: known([...facts.abis, ...named]),
    icon: facts.icon ?? (beside ? await iconOf(found.archive, beside) : null),
  }
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
})

const nameOf = (entry: Entry): string => entry.fileNameRaw.toString('latin1')
const isPart = (name: string): boolean => /\.apk$/i.test(name)

type Opened = { archive: Archive; manifest: Entry | undefined; resources: Entry | undefined; abis: string[] }
async function openPackage(source: ByteSource, wanted: (name: string) => boolean): Promise<Opened> {
  const directory = await readDirectory(source)
  const block = await readSigningBlock(source, directory.start)
  const found = new Set<string>()
  const archive = await openArchive(source, directory, block?.start ?? directory.start, (name) => {
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
  return { archive, manifest: one(manifest_name), resources: one(resources_name), abis: known([...found]) }
}
const isPicture = (name: string): boolean => /\.(png|webp)$/i.test(name)
const known = (found: readonly string[]): string[] => abis.filter((abi) => found.includes(abi))

/** By the names that tools give the parts: split_config.arm64_v8a.apk, base-x86_64.apk. */
const abisNamedIn = (name: string): string[] =>
  abis.filter((abi) => new RegExp(`(?:^|[.\\-_/])${abi.replace('-', '[-_]')}(?:_\\d+)?\\.apk$`, 'i').test(name))

/** The part that is no split of another; those that are called so are looked at first. */
async function baseOf(archive: Archive, parts: Entry[], kind: PackageKind): Promise<PackageFacts> {
  const weight = (entry: Entry) =>
    /(?:^|\/)(?:base|base-master|universal|standalone)\.apk$/i.test(nameOf(entry)) ? 1 : 0
  const inOrder = parts.toSorted((a, b) => weight(b) - weight(a) || b.uncompressedSize - a.uncompressedSize)
  let unreadable: PackageFacts | undefined
  for (const part of inOrder) {
    const source = await archive.source(part, part_bytes_max)
    const opened = await openPackage(source, () => false)
    if (!opened.manifest) throw invalid('a part is no APK')
    const manifest = await manifestOf(opened)
    if (manifest?.split !== undefined) continue
    const facts = await factsOf(source, opened, kind)
    if (manifest) return facts
    unreadable ??= facts
  }
  return unreadable ?? fail('a package of splits without a base')
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
    (typeof value === 'object' ? inEnglish(decoded(() => resources(value)) ?? []) : value) ?? null
  return {
    kind,
    package: manifest?.package && isPackageName(manifest.package) ? manifest.package : null,
    version_name: line(textOf(manifest?.version_name), 100),
    version_code: manifest?.version_code ?? null,
    label: line(textOf(manifest?.label), 100),
    icon: manifest?.icon ? await bestIcon(opened.archive, decoded(() => resources(manifest.icon!)) ?? []) : null,
    min_sdk: sdk(manifest?.min_sdk),
    target_sdk: sdk(manifest?.target_sdk),
    abis: opened.abis,
    permissions: (manifest?.permissions ?? []).flatMap((permission) => line(permission, 200) ?? []),
    signers: certificates.map((certificate) => createHash('sha1').update(certificate).digest('hex')),
    scheme,
  }
}

const isPackageName = (name: string): boolean => name.length <= 200 && package_name.test(name)
const sdk = (level: number | undefined): number | null => (level !== undefined && level <= 10_000 ? level : null)

/** One line that can be stored and shown; null when nothing is left. */
const line = (text: string | null, max: number): string | null =>
  text
    ?.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed() || null

async function resourcesOf({ archive, resources }: Opened): Promise<Resources> {
  const none = () => []
  if (!resources || resources.uncompressedSize > resources_bytes_max) return none
  const bytes = await archive.content(resources, resources_bytes_max)
  return decoded(() => readResources(bytes)) ?? none
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
