import { aroundPolygon, polygonFault, polygonLimits } from '@mdm/device-link/polygon.ts'
import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Instant, Kid, Line, paged, paging, Search, shaped, text, wrong } from '../wire.ts'
import { isLevelPlace, levelPlace, place_wrong } from '../config/level-place.ts'
import { levelNames } from '../config/names.ts'
import { TerminalEventRow, TerminalRow } from './terminal.ts'

/** How sure a position has to be; the numbers are the specification's. */
export const fenceAccuracyCodes = { common: 0, high: 1, adaptive: 2 } as const
export type FenceAccuracyName = keyof typeof fenceAccuracyCodes
export const fenceAccuracyKeys = Object.keys(fenceAccuracyCodes) as FenceAccuracyName[]
export const fenceShapes = { circle: 1, polygon: 2 } as const
/** The same for who draws a polygon and for who is told of it. */
export { aroundPolygon, polygonFault, polygonLimits }
export const fenceLimits = {
  fences: 1_000,
  radius: { min: 10, max: 100_000 },
  duration: { min: 0, max: 86_400 },
  alarm: { min: constants.ring_min_seconds, max: 600 },
  places: 200,
} as const

const { radius, duration, alarm } = fenceLimits
const Password = z
  .string()
  .regex(...shaped('digits', /^\d+$/))
  .min(constants.screen_lock_min)
  .max(64)

const Point = z.object({ longitude: z.number().min(-180).max(180), latitude: z.number().min(-90).max(90) })
/** The corners of a polygon, refused with the first that is wrong with them. */
const Points = z
  .array(Point)
  .min(polygonLimits.min)
  .max(polygonLimits.max)
  .refine((points) => polygonFault(points) !== 'polygon_repeated', wrong('polygon_repeated'))
  .refine((points) => polygonFault(points) !== 'polygon_pole', wrong('polygon_pole'))
  .refine((points) => polygonFault(points) !== 'polygon_antimeridian', wrong('polygon_antimeridian'))
  .refine((points) => polygonFault(points) !== 'polygon_crossing', wrong('polygon_crossing'))

const Area = z.object({
  name: Line(64, 1),
  is_on: z.boolean().default(true),
  shape: z
    .union([z.literal(fenceShapes.circle), z.literal(fenceShapes.polygon)])
    .default(fenceShapes.circle)
    .describe('1: a circle, 2: a polygon, an extension of this product'),
  points: Points.nullable()
    .default(null)
    .describe('of a polygon, the last joined to the first; centre and radius are then worked out from them'),
  longitude: z.number().min(-180).max(180).describe('of the centre, WGS 84'),
  latitude: z.number().min(-90).max(90),
  radius: z.number().int().min(radius.min).max(radius.max).describe('metres'),
  duration: z
    .number()
    .int()
    .min(duration.min)
    .max(duration.max)
    .default(0)
    .describe('seconds that a device has to be on the other side before that counts'),
  accuracy: z
    .union([z.literal(0), z.literal(1), z.literal(2)])
    .default(0)
    .describe('0: common, 1: high, 2: adaptive'),
  alarm_seconds: z
    .number()
    .int()
    .min(alarm.min)
    .max(alarm.max)
    .nullable()
    .default(null)
    .describe('a device that leaves rings for so long; null: it does not'),
  is_locking: z.boolean().default(false).describe('the screen of a device that leaves is locked with the password'),
})
const Draft = Area.extend({
  password: Password.optional().describe('of the locked screen; kept when left out on edit, never answered'),
})

export const ElectronicFence = z.object({
  ...Area.shape,
  kid: Kid,
  has_password: z.boolean(),
  version: Count.describe('grows with every change that devices are told'),
  updated_by: z.string(),
  updated_at: Instant,
  created_at: Instant,
  places: Count.describe('where it is set'),
  last_error: z.string().nullable().describe('why the last device that left was not locked or made to ring'),
  inside: Count.describe('devices'),
  outside: Count.describe('devices'),
})
export type ElectronicFence = z.output<typeof ElectronicFence>

/** Events of devices that are about their fence, as a device tells them of itself and the server of the others. */
export const fenceEventTypes = ['fence_in', 'fence_out', 'fence_action'] as const
export const FenceEventRow = TerminalEventRow.extend({
  type: z.enum(fenceEventTypes),
  terminal_kid: Kid,
  ...TerminalRow.pick({ sn: true, name: true }).shape,
})
export type FenceEventRow = z.output<typeof FenceEventRow>

const FencePlace = z.object(levelPlace).refine(isLevelPlace, place_wrong)
const Places = z.array(FencePlace).min(1).max(fenceLimits.places)

/** What setting a fence for the account and its groups takes in addition. */
export const fence_group_permission = 'electronicFenceList:group'

const group_title = text('Electronic fences', 'Hàng rào điện tử', '电子围栏')
export const electronicFence = group(withinGroups('electronic_fence'), group_title, {
  paging: read('POST', {
    needs: 'electronicFenceList',
    title: text('List electronic fences', 'Danh sách hàng rào điện tử', '电子围栏列表'),
    input: paging(['name', 'updated_at', 'radius']).extend({ text: Search }),
    output: paged(ElectronicFence),
  }),
  get: read('GET', {
    needs: 'electronicFenceList',
    title: text('Read an electronic fence', 'Đọc hàng rào điện tử', '读取电子围栏'),
    input: ByKid,
    output: ElectronicFence,
  }),
  insert: write('POST', {
    needs: 'electronicFenceList:edit',
    title: text('Create an electronic fence', 'Tạo hàng rào điện tử', '新建电子围栏'),
    input: Draft,
    output: ByKid,
    errors: ['duplicate_name', 'fence_limit', 'fence_password_missing'],
  }),
  update: write('POST', {
    needs: 'electronicFenceList:edit',
    title: text('Edit an electronic fence', 'Sửa hàng rào điện tử', '编辑电子围栏'),
    input: edited(Draft).extend({ kid: Kid }),
    output: Done,
    errors: ['duplicate_name', 'fence_password_missing', 'fence_beyond_reach'],
    destroys: () => true,
  }),
  delete: write('POST', {
    needs: 'electronicFenceList:edit',
    title: text('Delete an electronic fence', 'Xóa hàng rào điện tử', '删除电子围栏'),
    input: ByKid.describe('it is in force nowhere then'),
    output: Done,
    errors: ['fence_beyond_reach'],
    destroys: () => true,
    works_on_full_disk: true,
  }),
  list_places: read('GET', {
    needs: 'electronicFenceList',
    title: text('List where a fence is set', 'Danh sách nơi áp dụng hàng rào', '围栏应用范围列表'),
    input: ByKid,
    output: z.array(
      z.object({
        ltscope: z.number().int(),
        kid: Kid.nullable().describe('of the group or device'),
        name: z.string().nullable().describe('null: the account'),
        updated_by: z.string(),
        updated_at: Instant,
      }),
    ),
  }),
  save_places: write('POST', {
    needs: 'electronicFenceList:edit',
    title: text('Set where a fence is in force', 'Áp dụng hàng rào điện tử', '设置围栏应用范围'),
    input: z.object({
      fence_kid: Kid.nullable().describe('null: no fence is in force there, whatever is set above'),
      places: Places,
    }),
    output: Done,
    destroys: () => true,
  }),
  reset_places: write('POST', {
    needs: 'electronicFenceList:edit',
    title: text('Let places inherit their fence', 'Để nơi áp dụng kế thừa hàng rào', '恢复继承围栏'),
    input: z.object({ places: Places }),
    output: z.object({ reset: Count }),
    destroys: () => true,
  }),
  paging_event: read('POST', {
    needs: 'electronicFenceList',
    title: text('List the events of a fence', 'Danh sách sự kiện của hàng rào', '围栏事件列表'),
    input: paging(['at']).extend({ kid: Kid.describe('of the fence'), type: z.enum(fenceEventTypes).optional() }),
    output: paged(FenceEventRow),
  }),
  current: read('GET', {
    needs: 'deviceDetailLocation',
    title: text('Read the fence of a device', 'Đọc hàng rào của thiết bị', '读取设备的围栏'),
    input: z.object({ terminal_kid: Kid }),
    output: z.object({
      fence: ElectronicFence.pick({
        kid: true,
        name: true,
        longitude: true,
        latitude: true,
        radius: true,
        points: true,
        duration: true,
        accuracy: true,
        version: true,
      }).nullable(),
      source: z.enum(levelNames).exclude(['profile']).describe('level that it comes from; platform: none is set'),
      state: z.enum(['inside', 'outside']).nullable().describe('null: not known'),
      since: Instant.nullable(),
      is_by_device: z.boolean().describe('the device says so itself'),
      band: z.number().describe('metres to either side of the edge in which nothing changes'),
    }),
  }),
  find_place: read('POST', {
    needs: 'electronicFenceList:edit',
    title: text('Search for a place', 'Tìm địa điểm', '搜索地点'),
    input: z.object({ text: Line(100) }).describe('an empty text asks only whether places can be searched for'),
    output: z.object({
      is_on: z.boolean().describe('false: no geocoder is set'),
      places: z.array(z.object({ name: z.string(), longitude: z.number(), latitude: z.number() })),
    }),
    errors: ['geocoder_failed'],
  }),
})
