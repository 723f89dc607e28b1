import * as z from 'zod'
import { CheckedIn, CheckIn } from './check-in.ts'
import { ApiList, ApiManifest } from './api-authorisation.ts'
import { failureCodes, serverFailureCodes } from './codes.ts'
import { CloudFiles, Refusal, Uploaded } from './endpoints.ts'
import { enrolment, StandingReply } from './enrolment.ts'
import { events } from './events.ts'
import { limits } from './limits.ts'
import { AppManifest, OsCustom } from './manifests.ts'
import { OsDelta, osDeltaLimits } from './os-delta.ts'
import { OsKeyChange, OsKeys, OsManifest } from './os-update.ts'
import { down, up } from './payloads.ts'
import { requests } from './requests.ts'
import { Staging, StagingKeys, stagingLimits, StagingSecrets } from './staging.ts'

/** Every message of the link by its name in docs/device-link/. */
export const messages: Record<string, z.ZodType> = {
  announce: enrolment.announce.input,
  announced: enrolment.announce.output,
  enrol: enrolment.enrol.input,
  enrolled: enrolment.enrol.output,
  standing: StandingReply,
  check_in: CheckIn,
  checked_in: CheckedIn,
  ...named('up', up),
  ...named('down', down),
}

/** What stands in messages, in files that a device fetches, and in the replies of its endpoints. */
export const payloads: Record<string, z.ZodType> = {
  ...messages,
  ...named('up/event', events),
  ...Object.fromEntries(
    Object.entries(requests).flatMap(([method, { params, data }]) => [
      [`request/${method}/params`, params],
      [`request/${method}/data`, data],
    ]),
  ),
  'os/manifest': OsManifest,
  'os/key_change': OsKeyChange,
  'os/keys': OsKeys,
  'os/delta': OsDelta,
  'os/custom': OsCustom,
  'app/manifest': AppManifest,
  'staging/body': Staging,
  'staging/secrets': StagingSecrets,
  'staging/keys': StagingKeys,
  'api/manifest': ApiManifest,
  'api/list': ApiList,
  'http/refusal': Refusal,
  'http/files': CloudFiles,
  'http/uploaded': Uploaded,
  'code/device': z.enum(failureCodes),
  'code/server': z.enum(serverFailureCodes),
  limits: constants(limits),
  'limits/delta': constants(osDeltaLimits),
  'limits/staging': constants(stagingLimits),
}

/** One payload as JSON Schema. What is not in it may be sent and is ignored. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return json
}

/** All of them as one JSON Schema document; `$defs` has one entry for each, and `more` besides. */
export const jsonSchema = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Device link: what a device and the server say to each other',
  $defs: {
    ...Object.fromEntries(Object.entries(payloads).map(([name, schema]) => [name, jsonSchemaOf(schema)])),
    ...more,
  },
})

function constants(of: Record<string, number>): z.ZodType {
  return z.object(Object.fromEntries(Object.entries(of).map(([name, value]) => [name, z.literal(value)])))
}
function named(prefix: string, of: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(of).map(([name, schema]) => [`${prefix}/${name}`, schema]))
}
