import * as z from 'zod'
import { api_method_max, apiMethodPattern, apiRefusals } from './api-method.ts'
import type { ApiRefusal } from './api-method.ts'
import { OsUpdate } from './os-update.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Version = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
const Method = z.string().max(api_method_max).regex(apiMethodPattern)
const Certificate = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .describe('SHA-1 of the DER of the certificate that the app is signed by, in hexadecimal digits')
const AppPackage = z.string().min(1).max(200)

/** What the provider signs: which apps may call what of devices with this UID. It travels as a text, as an OS manifest does. */
export const ApiManifest = z.object({
  format: z.literal('mdm-api-1'),
  uid: z.string().min(1).max(64),
  version: Version.describe('grows with each list of the UID'),
  apps: z
    .array(z.object({ package: AppPackage, cert_sha1: Certificate, methods: z.array(Method).min(1) }))
    .describe('an app with two certificates stands there twice; who is not there may call nothing'),
})
export type ApiManifest = z.infer<typeof ApiManifest>

/** Section `api_authorisation` of a configuration: which list is in force. Without the section no app may call anything. */
export const ApiAuthorisation = z.object({
  version: Version,
  sha256: Sha256.describe('of the UTF-8 bytes of the manifest'),
})
export type ApiAuthorisation = z.infer<typeof ApiAuthorisation>

/** `GET /device/api-authorisations`: the list of the UID of the device. */
export const ApiList = z.object({
  manifest: z.string().describe('JSON of ApiManifest; at most 4 MiB'),
  ...OsUpdate.pick({ signature: true, key: true, key_changes: true }).shape,
})
export type ApiList = z.infer<typeof ApiList>

/** The detail of an event of type `api_refused`: calls that an app made and was not allowed to. */
export const ApiRefused = z.object({
  package: AppPackage,
  cert_sha1: z.string().max(40).describe('as it was found; empty: none'),
  method: z.string().max(api_method_max),
  reason: z.enum(apiRefusals),
  count: z.number().int().min(1).describe('so many since this was reported last'),
})
export type ApiRefused = z.infer<typeof ApiRefused>

export type ApiCall = { package: string; cert_sha1: string; method: string }

/** Why an app may not make a call; undefined where it may. */
export function apiRefusal(list: ApiManifest | undefined, call: ApiCall): ApiRefusal | undefined {
  if (!list) return 'no_list'
  const named = list.apps.filter((app) => app.package === call.package)
  if (named.length === 0) return 'unknown_app'
  const own = named.filter(({ cert_sha1 }) => cert_sha1 === call.cert_sha1.toLowerCase())
  if (own.length === 0) return 'other_certificate'
  return own.some(({ methods }) => methods.includes(call.method)) ? undefined : 'not_listed'
}
