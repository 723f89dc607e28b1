import type { ErrorName, InformationName, Language } from '@mdm/contract'
import { refuse } from '../refusal.ts'
import type { PackageFacts } from '../lib/apk/package.ts'
import type { OsImageFacts, OsImageFormat } from '../lib/os-image/image.ts'
import type { OsPackageFacts } from '../lib/os-package.ts'
import type { CertificateFacts, Pkcs12File } from '../lib/pkcs12.ts'
import type { PictureFacts } from '../lib/png.ts'
import type { Signer } from '../lib/apk/signer.ts'
import { ApkError, bytesAt } from '../lib/apk/source.ts'
import type { ByteSource } from '../lib/apk/source.ts'
import type { ReadInformation } from '../modules/catalogue/os-information/sheet.ts'
import type { SheetKind } from '../modules/fleet/terminal-batch/sheet/layouts.ts'
import type { ReadTable } from '../modules/fleet/terminal-batch/sheet/sheet.ts'
import type { ValueRow } from '../modules/configuration/istage-code/sheet.ts'

const apk_refusals = { invalid: 'apk_invalid', unsigned: 'apk_unsigned', beyond_limits: 'apk_beyond_limits' } as const

export const os_refusals = {
  invalid: 'os_package_invalid',
  unsigned: 'os_package_layout',
  beyond_limits: 'os_package_beyond_limits',
} as const

const { beyond_limits } = os_refusals
const image_refusals = {
  swu: { invalid: 'os_swu_invalid', unsigned: 'os_swu_invalid', beyond_limits },
  raucb: { invalid: 'os_raucb_invalid', unsigned: 'os_raucb_invalid', beyond_limits },
  mender: { invalid: 'os_mender_invalid', unsigned: 'os_mender_invalid', beyond_limits },
} as const

/** What is done to strangers' files, in a process of its own. Each loads its code alone: the process begins anew every time. */
export const tasks = {
  async table(source: ByteSource, { kind, language }: { kind: SheetKind; language: Language }): Promise<ReadTable> {
    const { readTable } = await import('../modules/fleet/terminal-batch/sheet/sheet.ts')
    return readTable(await bytesAt(source, 0, source.size), kind, language)
  },

  async information(
    source: ByteSource,
    { list, language }: { list: InformationName; language: Language },
  ): Promise<ReadInformation> {
    const { readInformation } = await import('../modules/catalogue/os-information/sheet.ts')
    return readInformation(await bytesAt(source, 0, source.size), list, language)
  },

  /** A column for each variable of a configuration. */
  async values(source: ByteSource, { columns }: { columns: string[] }): Promise<ValueRow[]> {
    const { readValues } = await import('../modules/configuration/istage-code/sheet.ts')
    return readValues(await bytesAt(source, 0, source.size), columns)
  },

  async signer(source: ByteSource, _: Record<never, never>): Promise<Signer> {
    const { readSigner } = await import('../lib/apk/signer.ts')
    return refusing(() => readSigner(source))
  },

  async os_package(source: ByteSource, _: Record<never, never>): Promise<OsPackageFacts> {
    const { readOsPackage } = await import('../lib/os-package.ts')
    return refusing(() => readOsPackage(source), os_refusals)
  },

  async os_image(source: ByteSource, { format }: { format: OsImageFormat }): Promise<OsImageFacts> {
    const { readOsImage } = await import('../lib/os-image/image.ts')
    return refusing(() => readOsImage(source, format), image_refusals[format])
  },

  async picture(source: ByteSource, { side_max }: { side_max: number }): Promise<PictureFacts> {
    const { readPng } = await import('../lib/png.ts')
    return readPng(await bytesAt(source, 0, source.size), side_max)
  },

  /** Of PKCS#12 files one after another, each opened with its password. Null: it cannot be opened. */
  async pkcs12(source: ByteSource, { files }: { files: Pkcs12File[] }): Promise<(CertificateFacts | null)[]> {
    const { readPkcs12 } = await import('../lib/pkcs12.ts')
    return readPkcs12(await bytesAt(source, 0, source.size), files)
  },

  async package(source: ByteSource, _: Record<never, never>): Promise<PackageFacts> {
    const { readPackage } = await import('../lib/apk/package.ts')
    return refusing(() => readPackage(source))
  },
}
export type Tasks = typeof tasks

async function refusing<T>(read: () => Promise<T>, refusals: Record<ApkError['reason'], ErrorName> = apk_refusals) {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApkError) return refuse(refusals[error.reason])
    throw error
  }
}
