import * as z from 'zod'
import { CheckedIn, CheckIn } from './check-in.ts'
import { ApiList } from './api-authorisation.ts'
import { enrolment, StandingReply } from './enrolment.ts'
import { OsKeys } from './os-update.ts'
import { StagingKeys } from './staging.ts'

const bytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** Around the replies of calls that are signed in; `data` is what the endpoint answers. */
const enveloped = <T extends z.ZodType>(data: T) => z.object({ result: z.literal(1), message: z.string(), data })

/** Every refusal, with an HTTP status of 400 or more. */
export const Refusal = z.object({
  result: z.number().int(),
  message: z.string().describe('for people, in the language of Accept-Language'),
  data: z
    .object({ fields: z.record(z.string(), z.string()) })
    .nullable()
    .describe('of result 10000: what is wrong with each field'),
})

/** One folder of the file cloud, as a device sees it. */
export const CloudFiles = z.object({
  items: z
    .array(
      z.object({
        kid: z.uuid(),
        name: z.string(),
        is_folder: z.boolean(),
        size: bytes.nullable(),
        md5: z.string().nullable(),
        sha256: z.string().nullable(),
        url: z.string().nullable().describe('null for a folder, otherwise good for an hour'),
      }),
    )
    .max(200),
  next: z.uuid().nullable().describe('goes into `after`; null: there is no more'),
})

/** The object that an upload became. */
export const Uploaded = z.object({ object: z.string().max(100).describe('goes into result.object of completed') })

type Endpoint = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** Whether it wants `Authorization: Bearer {kid}:{secret}`. */
  is_signed_in: boolean
  request?: z.ZodType
  /** Absent where bytes come back or go. */
  reply?: z.ZodType
  says: string
  /** Of the error catalogue, beside those that every request may meet. */
  errors: readonly string[]
}

/** Whatever a device asks over HTTP. */
export const endpoints = {
  announce: {
    method: 'POST',
    path: '/device/announce',
    is_signed_in: false,
    request: enrolment.announce.input,
    reply: enrolment.announce.output,
    says: 'makes a device known, and answers with the code that it shows; at most 16 KiB',
    errors: [
      'bad_input',
      'too_large',
      'too_many_requests',
      'client_not_supported',
      'device_already_registered',
      'device_scrapped',
      'disk_full',
    ],
  },
  enrol: {
    method: 'POST',
    path: '/device/enrol',
    is_signed_in: false,
    request: enrolment.enrol.input,
    reply: enrolment.enrol.output,
    says: 'asks whether the device is registered; at most 16 KiB',
    errors: [
      'bad_input',
      'too_large',
      'too_many_requests',
      'device_unknown',
      'device_already_registered',
      'qrcode_invalid',
      'account_unavailable',
      'account_device_limit',
      'registered_devices_exceed_limit',
      'activation_missing',
      'activation_expired',
      'device_scrapped',
      'disk_full',
    ],
  },
  standing: {
    method: 'GET',
    path: '/device/standing',
    is_signed_in: true,
    reply: StandingReply,
    says: 'why a CONNECT was refused, and when to come again',
    errors: ['unauthorized', 'too_many_requests'],
  },
  check_in: {
    method: 'POST',
    path: '/device/check-in',
    is_signed_in: true,
    request: CheckIn,
    reply: enveloped(CheckedIn),
    says: 'says and fetches, without a connection, what else goes over MQTT',
    errors: ['unauthorized', 'bad_input', 'too_large', 'too_many_requests', 'disk_full'],
  },
  os_keys: {
    method: 'GET',
    path: '/device/os-keys',
    is_signed_in: true,
    reply: enveloped(OsKeys),
    says: 'the keys that a device believes that holds none yet',
    errors: ['unauthorized'],
  },
  staging_keys: {
    method: 'GET',
    path: '/device/staging-keys',
    is_signed_in: true,
    reply: enveloped(StagingKeys),
    says: 'by what the device checks and opens staging codes of its account',
    errors: ['unauthorized'],
  },
  api_authorisations: {
    method: 'GET',
    path: '/device/api-authorisations',
    is_signed_in: true,
    reply: enveloped(ApiList),
    says: 'the list of the UID of the device: which apps may call what of it',
    errors: ['unauthorized', 'not_found', 'too_many_requests'],
  },
  files: {
    method: 'GET',
    path: '/device/files',
    is_signed_in: true,
    reply: enveloped(CloudFiles),
    says: 'a folder of the file cloud: `?folder={kid}`, `&after={next}`',
    errors: ['unauthorized', 'not_found'],
  },
  slot: {
    method: 'PUT',
    path: '/device/slot/{kid}',
    is_signed_in: true,
    reply: enveloped(Uploaded),
    says: 'takes what a task or a request asked for, as bytes',
    errors: ['unauthorized', 'not_found', 'too_large', 'bad_input', 'conflict', 'storage_exceeded', 'disk_full'],
  },
  download: {
    method: 'GET',
    path: '/files/{object}',
    is_signed_in: false,
    says: 'the bytes of a file at the signed address that the device was given; Range and If-Range are understood, a range outside of the file is 416 without a body',
    errors: ['no_permission', 'not_found', 'file_content_missing'],
  },
} as const satisfies Record<string, Endpoint>

/** Any of them may meet these. */
export const errorsOfAll = ['internal', 'unavailable'] as const
