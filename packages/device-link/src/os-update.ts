import * as z from 'zod'
import { osStanding } from './os-version.ts'
import type { OsVersion } from './os-version.ts'

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const Build = z.object({ os_version: z.string().min(1).max(64), version_code: count, ver: count })
/** Public keys are Ed25519, as SubjectPublicKeyInfo in DER, base64. Signatures are base64. */
const Key = z.string().min(40).max(100)
const Signature = z.string().min(80).max(100)

const Package = z.object({
  name: z.string().min(1).max(255),
  size: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  md5: z.string().regex(/^[0-9a-f]{32}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  format: z
    .string()
    .max(20)
    .optional()
    .describe('swu of SWUpdate, raucb of RAUC, mender of Mender; absent: zip, of a folder DOWNLOAD'),
  said_version: z.string().max(100).optional().describe('that it says of itself; of formats but zip, where it says it'),
  hardware: z
    .array(z.string().max(200))
    .max(50)
    .optional()
    .describe('that it says it is for: revisions, what is compatible, or types of devices; of formats but zip'),
})

/**
 * What the publisher signs: a version and the digests of all its packages. It travels as a text, and the signature is over
 * the UTF-8 bytes of that very text.
 */
export const OsManifest = z.object({
  format: z.literal('mdm-os-1'),
  uid: z.string().min(1).max(64),
  from_uids: z.array(z.string().min(1).max(64)).min(1).max(10).describe('UIDs of devices that it is for'),
  ...Build.shape,
  packages: z
    .array(Package.extend({ from: Build.nullable().describe('null: the full package') }))
    .min(1)
    .max(60),
  deltas: z
    .array(Package.extend({ from: Build }))
    .max(60)
    .optional()
    .describe(
      'differences that the server made, in a form of their own: a device that does not know it passes them over',
    ),
})
export type OsManifest = z.infer<typeof OsManifest>
export type OsPackageOf = OsManifest['packages'][number] & { is_delta: boolean }

/** All packages in the order of their addresses: `packages`, then `deltas`. */
export const osPackagesOf = ({ packages, deltas = [] }: Pick<OsManifest, 'packages' | 'deltas'>): OsPackageOf[] => [
  ...packages.map((one) => ({ ...one, is_delta: false })),
  ...deltas.map((one) => ({ ...one, is_delta: true })),
]

/** A key that takes the place of another, said by that one. */
export const OsKeyChange = z.object({
  format: z.literal('mdm-os-key-1'),
  old_key: Key,
  new_key: Key,
  is_old_revoked: z.boolean().describe('the old key is not believed any more from then on'),
})

/** The payload of down/task `os`. */
export const OsUpdate = z.object({
  manifest: z.string().max(60_000).describe('JSON of OsManifest'),
  signature: Signature,
  key: Key.describe('by which the manifest is signed'),
  key_changes: z
    .array(z.object({ statement: z.string().max(1000).describe('JSON of OsKeyChange'), signature: Signature }))
    .max(50)
    .describe('oldest first, the last of them: how earlier keys became this one'),
  urls: z
    .array(z.string().max(2000))
    .max(120)
    .describe(
      'of the packages of the manifest, then of its deltas, in their order: GET with the credential, Range allowed',
    ),
  confirm_seconds: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .describe('the new version reports to the server within it, or the device goes back to the old one'),
})
export type OsUpdate = z.infer<typeof OsUpdate>

/**
 * What is signed of a package of the agent itself, by the key of OS versions. It travels as a text, as an OS manifest does.
 */
export const AgentManifest = z.object({
  format: z.literal('mdm-agent-1'),
  package: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type AgentManifest = z.infer<typeof AgentManifest>
/** The package that the agent for Linux is. */
export const agent_package = 'mdm-agent'

/** An `AgentManifest` with all that it takes to believe it. */
export const SignedAgent = z.object({
  manifest: z.string().max(1_000).describe('JSON of AgentManifest'),
  ...OsUpdate.pick({ signature: true, key: true, key_changes: true }).shape,
})

/** `GET /device/os-keys`: the keys that a device believes that holds none yet. It never asks again. */
export const OsKeys = z.object({ keys: z.array(Key).max(50) })

/** Why a device does not take a version; undefined when it does. */
export function osRefusal(
  device: OsVersion & { uid: string },
  { from_uids, ...target }: Pick<OsManifest, 'from_uids'> & OsVersion,
): 'other_uid' | 'version_unknown' | 'has_version' | 'has_newer' | undefined {
  const is_meant = from_uids.some((uid) => uid.toLowerCase() === device.uid.trim().toLowerCase())
  if (!is_meant) return 'other_uid'
  const standing = osStanding(device, target)
  return ({ unknown: 'version_unknown', same: 'has_version', older: 'has_newer', newer: undefined } as const)[standing]
}

type OsFormats = { os_formats?: readonly string[] | null }

/** Whether a device can apply a package that is written so. One that does not say takes ZIPs. */
export const takesOsFormat = (
  { os_formats }: OsFormats,
  { format = 'zip' }: { format?: string | undefined },
): boolean => (os_formats ?? ['zip']).includes(format)

/** The package for a device: the difference from the very version that it runs, else the full one; of those that it can apply. */
export function osPackageFor<P extends { from: OsVersion | null; format?: string | undefined }>(
  device: OsVersion & OsFormats,
  all: readonly P[],
): P | undefined {
  const packages = all.filter((one) => takesOsFormat(device, one))
  const is_whole = device.version_code != null && device.ver != null
  const fits = ({ from }: P): boolean =>
    is_whole &&
    from !== null &&
    osStanding(device, from) === 'same' &&
    from.version_code === device.version_code &&
    from.ver === device.ver
  return packages.find(fits) ?? packages.find(({ from }) => from === null)
}
