import * as z from 'zod'
import { constants, mapTypes } from '../constants.ts'
import { text, wrong } from '../wire.ts'
import { area, choice, lines, number, section, toggle } from './kit.ts'
import { configTypes } from './names.ts'

const { min, max } = constants.collection.variation
const { collection: preset } = constants
const on = (en: string, vi: string, zh: string) => toggle(text(en, vi, zh), true)

/** What a device reports by itself, and after which change. */
export const collection = section({
  type: configTypes.event,
  title: text('Collection', 'Thu thập', '采集'),
  hint: text('What the device reports by itself.', 'Những gì thiết bị tự báo cáo.', '设备自动上报的内容。'),
  capability: 'reporting',
  fields: {
    is_battery_on: on('Battery', 'Pin', '电池'),
    battery_percent: number(
      text('Battery: change', 'Pin: mức thay đổi', '电池：变化量'),
      min,
      max,
      preset.battery_percent,
      { unit: '%', when: ['is_battery_on', true] },
    ),
    is_wifi_on: on('Wi-Fi signal', 'Tín hiệu Wi-Fi', 'Wi-Fi 信号'),
    wifi_dbm: number(
      text('Wi-Fi signal: change', 'Tín hiệu Wi-Fi: mức thay đổi', 'Wi-Fi 信号：变化量'),
      min,
      max,
      preset.wifi,
      { unit: 'dBm', when: ['is_wifi_on', true] },
    ),
    is_mobile_on: on('Mobile signal', 'Tín hiệu di động', '移动信号'),
    mobile_dbm: number(
      text('Mobile signal: change', 'Tín hiệu di động: mức thay đổi', '移动信号：变化量'),
      min,
      max,
      preset.mobile,
      { unit: 'dBm', when: ['is_mobile_on', true] },
    ),
    is_timed_on: on('Timed collection', 'Thu thập định kỳ', '定时采集'),
    every_hours: number(
      text('Timed collection: interval', 'Thu thập định kỳ: chu kỳ', '定时采集：间隔'),
      1,
      168,
      preset.every_hours,
      { unit: 'h', when: ['is_timed_on', true] },
    ),
    is_location_on: on('Location', 'Vị trí', '位置'),
    location_metres: number(
      text('Location: change', 'Vị trí: mức thay đổi', '位置：变化量'),
      1,
      100_000,
      preset.location_metres,
      { unit: 'm', when: ['is_location_on', true] },
    ),
    location_hours: number(text('Location: interval', 'Vị trí: chu kỳ', '位置：间隔'), 1, 720, preset.location_hours, {
      unit: 'h',
      when: ['is_location_on', true],
    }),
    is_usage_on: on('Network use', 'Lưu lượng mạng', '流量统计'),
  },
  platform: {
    is_battery_on: true,
    battery_percent: preset.battery_percent,
    is_wifi_on: true,
    wifi_dbm: preset.wifi,
    is_mobile_on: true,
    mobile_dbm: preset.mobile,
    is_timed_on: true,
    every_hours: preset.every_hours,
    is_location_on: true,
    location_metres: preset.location_metres,
    location_hours: preset.location_hours,
    is_usage_on: true,
  },
})
export const Collection = collection.value
export type Collection = z.output<typeof Collection>

/** Which map shows the places of devices to people who have not chosen one themselves. */
export const map_type = section({
  type: configTypes.event,
  title: text('Map', 'Bản đồ', '地图'),
  hint: text(
    'For people of the account who have chosen no map themselves.',
    'Dành cho người dùng của tài khoản chưa tự chọn bản đồ.',
    '用于本账号中未自行选择地图的用户。',
  ),
  capability: 'console',
  is_for_console: true,
  fields: {
    map_type: choice(text('Map', 'Bản đồ', '地图'), {
      [mapTypes.open_street_map]: text('OpenStreetMap', 'OpenStreetMap', 'OpenStreetMap'),
      [mapTypes.baidu]: text('Baidu Maps', 'Bản đồ Baidu', '百度地图'),
    } as const),
  },
})

const Column = z.string().max(60)
/** Columns of the account's device list, for people who have arranged none themselves. */
export const list_columns = section({
  type: configTypes.self_defined_list,
  title: text('Columns of the device list', 'Cột của danh sách thiết bị', '设备列表的列'),
  hint: text(
    'For people of the account who have arranged no columns themselves.',
    'Dành cho người dùng của tài khoản chưa tự sắp xếp cột.',
    '用于本账号中未自行调整列的用户。',
  ),
  capability: 'console',
  is_for_console: true,
  fields: {
    order: lines(text('Order', 'Thứ tự', '顺序'), Column, 200, { is_column: true }),
    hidden: lines(text('Hidden', 'Ẩn', '隐藏'), Column, 200, { is_column: true }),
  },
})

const url_limits = { entries: 500, text: 20_000 } as const
const url_entry =
  /^(?:https?:\/\/)?(?:\*\.)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?::\d{1,5})?(?:[/?#][^\s,\p{Cc}]*)?$/iu
/** The entries of a comma-separated list, without what is there twice; of the same address the first. */
export const urlsOf = (list: string): string[] => {
  const entries = list.split(',').map((entry) => entry.trim())
  const byAddress = new Map(
    entries
      .filter(Boolean)
      .toReversed()
      .map((entry) => [addressOf(entry), entry]),
  )
  return [...byAddress.values()].toReversed()
}
/** The entries that are no URL: a host, with `*.` for all below it, and what may stand around one. */
export const wrongUrls = (list: string): string[] => urlsOf(list).filter((entry) => !url_entry.test(entry))
/**
 * What an entry means to a browser: its host, in lower case and as punycode, with what follows. Which scheme, the usual port and
 * a last slash say nothing else.
 */
const addressOf = (entry: string): string => {
  const [, scheme = 'http', wildcard = '', rest = ''] = /^(?:(https?):\/\/)?(\*\.)?(.*)$/isu.exec(entry) ?? []
  try {
    const { host, pathname, search, hash } = new URL(`${scheme}://${rest}`)
    const usual_port = scheme.toLowerCase() === 'https' ? ':80' : ':443'
    const at = host.endsWith(usual_port) ? host.slice(0, -usual_port.length) : host
    return `${wildcard}${at}${pathname.replace(/\/$/, '')}${search}${hash}`
  } catch {
    return entry.toLowerCase()
  }
}
/** Entries of the blacklist that the whitelist allows, however they are written. */
export const commonUrls = (whitelist: string, blacklist: string): string[] => {
  const allowed = new Set(urlsOf(whitelist).map(addressOf))
  return urlsOf(blacklist).filter((entry) => allowed.has(addressOf(entry)))
}

const UrlList = z
  .string()
  .max(url_limits.text)
  .refine((list) => urlsOf(list).length <= url_limits.entries, wrong('too_many', { max: url_limits.entries }))
  .refine((list) => wrongUrls(list).length === 0, wrong('url_entry'))
  .transform((list) => urlsOf(list).join(', '))
  .describe('URLs, separated by commas')

export const url_lists = section(
  {
    type: configTypes.os,
    title: text('URL lists', 'Danh sách URL', '网址名单'),
    hint: text(
      'Which addresses the browser of the device may open.',
      'Những địa chỉ mà trình duyệt của thiết bị được mở.',
      '设备浏览器可以打开的地址。',
    ),
    capability: 'browser',
    takes_hold: true,
    fields: {
      whitelist: area(text('Whitelist', 'Danh sách trắng', '白名单'), UrlList),
      blacklist: area(text('Blacklist', 'Danh sách đen', '黑名单'), UrlList),
    },
    platform: { whitelist: '', blacklist: '' },
    toWire: ({ whitelist, blacklist }) => ({ whitelist: urlsOf(whitelist), blacklist: urlsOf(blacklist) }),
  },
  (schema) =>
    schema.refine(
      ({ whitelist, blacklist }) => commonUrls(whitelist, blacklist).length === 0,
      wrong('url_in_both', undefined, 'blacklist'),
    ),
)
export const UrlLists = url_lists.value
export type UrlLists = z.output<typeof UrlLists>
