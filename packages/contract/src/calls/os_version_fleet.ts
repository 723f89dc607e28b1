import * as z from 'zod'
import { group, read } from '../kit.ts'
import { Bytes, Count, Instant, Kid, Nothing, paged, paging, Search, text } from '../wire.ts'
import { OsBuild } from './os_version.ts'
import { uidTypes } from './os_uid.ts'

const whyNone = ['none_associated', 'none_for_devices'] as const
/** A version that an account may push, and how its devices stand to it. */
export const PushableOs = z.object({
  kid: Kid,
  uid_code: z.string(),
  uid_name: z.string(),
  type: z.enum(uidTypes),
  ...OsBuild.shape,
  is_pre_released: z.boolean(),
  description: z.string(),
  remaining_problems: z.string(),
  size: Bytes.describe('of the full package, else of the largest difference'),
  has_full: z.boolean(),
  released_at: Instant,
  devices: Count.describe('of the caller that could take it'),
})
export type PushableOs = z.output<typeof PushableOs>

const FleetBuild = z.object({
  uid: z.string(),
  os_version: z.string(),
  version_code: Count.nullable(),
  ver: Count.nullable(),
  devices: Count,
  newest: OsBuild.extend({ kid: Kid }).nullable().describe('the newest version that these devices may be given'),
})
export type FleetBuild = z.output<typeof FleetBuild>

/** What a customer sees of OS versions. */
export const osVersion = group('os_version', text('OS versions', 'Phiên bản OS', 'OS 版本'), {
  list: read('GET', {
    needs: ['userOsPushList', 'userOsPush'],
    title: text('List OS versions that can be pushed', 'Danh sách phiên bản OS có thể đẩy', '可推送的 OS 版本列表'),
    input: Nothing,
    output: z.object({
      items: z.array(PushableOs).describe('newest first, at most 500'),
      why_none: z.enum(whyNone).nullable().describe('why nothing can be pushed'),
    }),
  }),
  fleet: read('GET', {
    needs: 'userOsPushList',
    title: text('Count devices by OS version', 'Số thiết bị theo phiên bản OS', '按 OS 版本统计设备'),
    input: z.object({ days: z.coerce.number<number | string>().int().min(1).max(365).default(90) }),
    output: z.object({
      now: z.array(FleetBuild).describe('most devices first, at most 200'),
      behind: Count,
      days: z
        .array(z.object({ day: z.string(), os_version: z.string(), devices: Count }))
        .describe('by day, at its end'),
    }),
  }),
  paging_behind: read('POST', {
    needs: 'userOsPushList',
    title: text('List devices that are behind', 'Danh sách thiết bị chưa cập nhật OS', '未更新到最新 OS 的设备列表'),
    input: paging(['sn', 'os_version']).extend({ text: Search.describe('part of the SN or the name') }),
    output: paged(
      z.object({
        kid: Kid,
        sn: z.string(),
        name: z.string(),
        uid: z.string(),
        os_version: z.string(),
        newest: z.string(),
        newest_kid: Kid,
      }),
    ),
  }),
})
