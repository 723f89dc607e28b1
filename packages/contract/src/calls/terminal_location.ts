import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { Count, Instant, Kid, Nothing, text, wrong } from '../wire.ts'
import { askErrors } from './device_transfer.ts'
import { TerminalFilter } from './terminal_filter.ts'

export const location_limits = { marks: 1000, named: 200, track_points: 2000, crossings: 200, track_days: 31 } as const

const Longitude = z.number().min(-180).max(180)
const Latitude = z.number().min(-90).max(90)
const Place = z.object({ longitude: Longitude, latitude: Latitude })
export const Bounds = z
  .object({ west: Longitude, south: Latitude, east: Longitude, north: Latitude })
  .describe('WGS 84; west is greater than east where the 180th meridian lies between them')
export type Bounds = z.output<typeof Bounds>

const Measured = Place.extend({
  accuracy: z.number().nullable().describe('metres'),
  provider: z.string().nullable().describe('gps, network, fused or other'),
  at: Instant.describe('when it was measured, clamped to the time of receipt'),
  received_at: Instant,
})
export const TerminalPosition = Measured
export type TerminalPosition = z.output<typeof Measured>

/** A device came into its fence, or left it; the place is that of the first position beyond the edge. */
export const FenceCrossing = Place.extend({
  at: Instant,
  to: z.enum(['inside', 'outside']),
  fence: z.string().describe('its name by then'),
})
export type FenceCrossing = z.output<typeof FenceCrossing>

export const MapDevice = Place.extend({
  kid: Kid,
  sn: z.string(),
  name: z.string(),
  is_online: z.boolean(),
  last_online_at: Instant.nullable(),
  at: Instant.describe('when the position was measured'),
})
export type MapDevice = z.output<typeof MapDevice>
export const MapCluster = Place.extend({ count: Count, online: Count, bounds: Bounds.describe('around its devices') })
export type MapCluster = z.output<typeof MapCluster>

export const terminalLocation = group('terminal_location', text('Location', 'Vị trí', '位置'), {
  list: read('POST', {
    needs: 'deviceList',
    title: text('List devices on the map', 'Danh sách thiết bị trên bản đồ', '地图设备列表'),
    input: TerminalFilter.extend({
      bounds: Bounds,
      zoom: z.number().int().min(0).max(22).describe('of a web map with tiles of 256 pixels'),
      is_clustered: z
        .boolean()
        .default(true)
        .describe(`false: at most ${location_limits.named} devices, each by itself`),
    }),
    output: z.object({
      total: Count.describe('devices that match and are within the bounds'),
      devices: z.array(MapDevice),
      clusters: z.array(MapCluster).describe('of devices that would cover each other'),
    }),
  }),
  extent: read('POST', {
    needs: 'deviceList',
    title: text('Find where devices are', 'Tìm khu vực có thiết bị', '查找设备所在范围'),
    input: TerminalFilter,
    output: z.object({
      placed: Count.describe('devices that match and have said where they are'),
      bounds: Bounds.nullable().describe('around all of them'),
    }),
  }),
  tiles: read('GET', {
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Read the map tiles', 'Đọc nguồn ảnh bản đồ', '读取地图图源'),
    input: Nothing,
    output: z.object({
      osm: z.string().nullable().describe('address with {z}, {x} and {y}; null: none are used'),
      baidu: z.string().nullable(),
    }),
  }),
  get: read('GET', {
    needs: 'deviceDetailLocation',
    title: text('Read the position of a device', 'Đọc vị trí thiết bị', '读取设备位置'),
    input: z.object({ terminal_kid: Kid }),
    output: z.object({
      position: TerminalPosition.nullable().describe('null: it has never said where it is'),
      is_refreshing: z.boolean(),
    }),
  }),
  list_track: read('POST', {
    needs: 'deviceDetailLocation',
    title: text('Read the track of a device', 'Đọc lộ trình thiết bị', '读取设备轨迹'),
    input: z.object({ terminal_kid: Kid, from: Instant, until: Instant }).refine(
      ({ from, until }) => {
        const ms = Date.parse(until) - Date.parse(from)
        return ms > 0 && ms <= location_limits.track_days * 86_400_000
      },
      wrong('track_range', { days: location_limits.track_days }, 'until'),
    ),
    output: z.object({
      points: z.array(Measured).describe(`oldest first, thinned evenly beyond ${location_limits.track_points}`),
      total: Count.describe('before thinning'),
      crossings: z
        .array(FenceCrossing)
        .describe(`of the fences that were in force by then, oldest first, ${location_limits.crossings} at most`),
    }),
  }),
  refresh: write('POST', {
    needs: 'deviceDetailLocation:refresh',
    title: text('Ask a device where it is', 'Yêu cầu thiết bị báo vị trí', '刷新设备位置'),
    input: z.object({ terminal_kid: Kid }),
    output: TerminalPosition,
    errors: [...askErrors, 'task_running', 'device_location_unknown'],
  }),
})
