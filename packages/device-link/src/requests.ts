import * as z from 'zod'
import { limits } from './limits.ts'
import { TunnelOpen } from './tunnel.ts'
import { FileToFetch, Location, StateParts } from './payloads.ts'

const bytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const Nothing = z.object({})
/** Absolute on the device. What it may not lead to, the device itself refuses. */
const Path = z.string().min(1).max(1000)
/** One step of a path; nothing that could climb or be read as two. */
const Name = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?!\.{1,2}$)[^/\p{Cc}\p{Cs}]+$/u)
const Slot = z.object({
  transfer_kid: z.uuid(),
  upload_url: z.string().max(2000).describe('PUT here with the device credential, once'),
  max_bytes: bytes,
})

export const FileEntry = z.object({
  name: Name,
  type: z.enum(['folder', 'file', 'other']).describe('other: a link, a device, a socket; it is only shown'),
  size: bytes.optional(),
  modified_at: z.iso.datetime({ offset: true }).optional(),
})
export type FileEntry = z.infer<typeof FileEntry>
export const FileList = z.object({
  items: z.array(FileEntry).max(limits.folder_entries),
  next: Name.nullable().describe('the last name of this part, when there is more: `after` of the next request'),
})

export const permissionStates = ['allow', 'deny', 'default'] as const
export const PermissionState = z.enum(permissionStates)
const AppId = z.string().min(1).max(200)
export const AppEntry = z.object({
  package: AppId,
  title: z.string().max(200).optional(),
  version: z.string().max(100),
  version_code: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  size: bytes.optional(),
  is_system: z.boolean().optional(),
  permissions: z
    .array(z.object({ name: z.string().min(1).max(200), state: PermissionState }))
    .max(100)
    .optional(),
})
export type AppEntry = z.infer<typeof AppEntry>
export const AppList = z.object({ items: z.array(AppEntry).max(limits.packages), next: AppId.nullable() })

/** Every method of `down/request`: its parameters, and `data` of the answer. */
export const requests = {
  ping: {
    params: Nothing,
    data: z.object({
      device_time: z.iso.datetime({ offset: true }),
      boot_id: z.string().max(64),
      uptime: z.number().min(0).max(1e10).optional().describe('seconds since boot, from a monotonic clock'),
    }),
  },
  hello: { params: Nothing, data: Nothing },
  location_now: { params: Nothing, data: Location },
  state_now: { params: Nothing, data: StateParts },
  file_list: { params: z.object({ path: Path, after: z.string().max(255).optional() }), data: FileList },
  file_make_folder: { params: z.object({ path: Path }), data: Nothing },
  file_rename: { params: z.object({ path: Path, name: Name }), data: Nothing },
  file_delete: { params: z.object({ path: Path }), data: Nothing },
  file_send: { params: Slot.extend({ path: Path }), data: z.object({ size: bytes }) },
  file_fetch: { params: z.object({ transfer_kid: z.uuid(), file: FileToFetch }), data: z.object({ path: Path }) },
  log_send: { params: Slot, data: z.object({ size: bytes }) },
  transfer_cancel: { params: z.object({ transfer_kid: z.uuid() }), data: Nothing },
  app_list: { params: z.object({ after: AppId.optional() }), data: AppList },
  app_uninstall: { params: z.object({ package: AppId }), data: Nothing },
  app_permission: {
    params: z.object({ package: AppId, permission: z.string().min(1).max(200), state: PermissionState }),
    data: Nothing,
  },
  tunnel_open: { params: TunnelOpen, data: Nothing },
} as const
export type Requests = typeof requests
export type RequestMethod = keyof Requests
export type ParamsOf<M extends RequestMethod> = z.infer<Requests[M]['params']>
export type DataOf<M extends RequestMethod> = z.infer<Requests[M]['data']>
