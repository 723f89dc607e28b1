import * as z from 'zod'
import { ServerAddress } from '../server-address.ts'
import { Line, shaped, text, wrong } from '../wire.ts'
import {
  choice,
  line,
  many,
  maybeNumber,
  number,
  Plain,
  plain,
  power,
  rows,
  secret,
  section,
  shapedLine,
  toggle,
} from './kit.ts'
import { configTypes } from './names.ts'

const host = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/
const ipv6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/
const isHost = (value: string): boolean => host.test(value) || ipv6.test(value)
/** Name or address of a machine; empty where there is none. */
const Host = Line(253).refine((value) => value === '' || isHost(value), wrong('machine_host'))
const password = text('Password', 'Mật khẩu', '密码')
const user_name = text('User name', 'Tên người dùng', '用户名')
const server = text('Server', 'Máy chủ', '服务器')
const port = text('Port', 'Cổng', '端口')

const Wpa = Plain(63, 8)
const ssid_bytes = (ssid: string): boolean => new TextEncoder().encode(ssid).length <= 32
const encrypted = ['security', 'wpa2', 'wpa3', 'eap'] as const

export const wifi_profiles = section(
  {
    type: configTypes.os,
    title: text('Wi-Fi networks', 'Mạng Wi-Fi', 'Wi-Fi 网络'),
    hint: text(
      'Networks that the device knows and joins.',
      'Các mạng mà thiết bị biết và kết nối.',
      '设备已知并可加入的网络。',
    ),
    capability: 'wifi',
    takes_hold: true,
    fields: {
      networks: rows(
        text('Networks', 'Mạng', '网络'),
        30,
        {
          ssid: shapedLine(
            text('Name (SSID)', 'Tên (SSID)', '名称（SSID）'),
            Line(32, 1).refine(ssid_bytes, wrong('bytes_too_many', { max: 32 })),
          ),
          security: choice(text('Security', 'Bảo mật', '安全性'), {
            wpa2: text('WPA2', 'WPA2', 'WPA2'),
            wpa3: text('WPA3', 'WPA3', 'WPA3'),
            eap: text('802.1X (EAP)', '802.1X (EAP)', '802.1X（EAP）'),
            open: text('Open', 'Mở', '开放'),
          }),
          password: secret(password, Wpa, { when: encrypted, bound_to: ['ssid', 'security'] }),
          eap_method: choice(
            text('EAP method', 'Phương thức EAP', 'EAP 方法'),
            {
              peap: text('PEAP', 'PEAP', 'PEAP'),
              ttls: text('TTLS', 'TTLS', 'TTLS'),
              tls: text('TLS', 'TLS', 'TLS'),
            },
            { when: ['security', 'eap'] },
          ),
          identity: line(text('Identity', 'Danh tính', '身份'), 100, 0, { when: ['security', 'eap'] }),
          ca_certificate: line(text('Name of the CA certificate', 'Tên chứng chỉ CA', 'CA 证书名称'), 100, 0, {
            when: ['security', 'eap'],
          }),
          is_hidden: toggle(text('Hidden network', 'Mạng ẩn', '隐藏网络')),
          proxy_host: shapedLine(text('Proxy', 'Proxy', '代理'), Host),
          proxy_port: maybeNumber(text('Proxy port', 'Cổng proxy', '代理端口'), 1, 65_535),
        },
        (schema) =>
          schema
            .refine(
              ({ security, password: given }) => (security === 'wpa2' || security === 'wpa3' ? given !== '' : true),
              wrong('required', undefined, 'password'),
            )
            .refine(
              ({ proxy_host, proxy_port }) => (proxy_host === '') === (proxy_port === null),
              wrong('host_with_port', undefined, 'proxy_port'),
            ),
      ),
    },
  },
  (schema) =>
    schema.refine(
      ({ networks }) => new Set(networks.map(({ ssid }) => ssid)).size === networks.length,
      wrong('entry_repeated', undefined, 'networks'),
    ),
)

const range = (from: number, to: number, by = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, at) => from + at * by)
const [low, dfs, high] = [range(36, 48, 4), [...range(52, 64, 4), ...range(100, 144, 4)], range(149, 165, 4)]
/** Channels that may be used in a region, of 2.4 and of 5 GHz. */
export const wifiRegions = {
  CN: [range(1, 13), [...range(36, 64, 4), ...high]],
  VN: [range(1, 13), [...low, ...dfs, ...high]],
  EU: [range(1, 13), [...low, ...range(52, 64, 4), ...range(100, 140, 4)]],
  US: [range(1, 11), [...low, ...dfs, ...high]],
  JP: [range(1, 14), [...low, ...dfs]],
  AU: [range(1, 13), [...low, ...dfs, ...high]],
} as const satisfies Record<string, readonly [number[], number[]]>
export type WifiRegion = keyof typeof wifiRegions

const Channels = z
  .array(z.number().int().min(1).max(177))
  .min(1, 'channel_kept')
  .max(40)
  .refine((list) => new Set(list).size === list.length, wrong('entry_repeated'))

/** At least one channel of each band stays. */
export const wifi_channels = section(
  {
    type: configTypes.os,
    title: text('Wi-Fi channels', 'Kênh Wi-Fi', 'Wi-Fi 信道'),
    hint: text(
      'Channels that the device may use in its region.',
      'Các kênh thiết bị được dùng trong khu vực.',
      '设备在所在地区可以使用的信道。',
    ),
    capability: 'wifi',
    takes_hold: true,
    fields: {
      region: choice(text('Region', 'Khu vực', '地区'), {
        CN: text('China', 'Trung Quốc', '中国'),
        VN: text('Vietnam', 'Việt Nam', '越南'),
        EU: text('Europe', 'Châu Âu', '欧洲'),
        US: text('United States', 'Hoa Kỳ', '美国'),
        JP: text('Japan', 'Nhật Bản', '日本'),
        AU: text('Australia', 'Úc', '澳大利亚'),
      }),
      channels_24: many(text('2.4 GHz', '2,4 GHz', '2.4 GHz'), Channels),
      channels_5: many(text('5 GHz', '5 GHz', '5 GHz'), Channels),
    },
  },
  (schema) =>
    schema
      .refine(
        ({ region, channels_24 }) => channels_24.every((one) => isOf(wifiRegions[region][0], one)),
        wrong('channel_of_region', undefined, 'channels_24'),
      )
      .refine(
        ({ region, channels_5 }) => channels_5.every((one) => isOf(wifiRegions[region][1], one)),
        wrong('channel_of_region', undefined, 'channels_5'),
      ),
)
const isOf = (list: readonly number[], one: number): boolean => list.includes(one)

export const mobile_data = section({
  type: configTypes.os,
  title: text('Mobile data', 'Dữ liệu di động', '移动数据'),
  hint: text('Mobile data and access points.', 'Dữ liệu di động và điểm truy cập.', '移动数据与接入点。'),
  capability: 'mobile',
  takes_hold: true,
  fields: {
    data: power(text('Mobile data', 'Dữ liệu di động', '移动数据')),
    roaming: power(text('Data roaming', 'Chuyển vùng dữ liệu', '数据漫游')),
    apns: rows(text('Access points (APN)', 'Điểm truy cập (APN)', '接入点（APN）'), 10, {
      name: line(text('Name', 'Tên', '名称'), 50, 1),
      apn: plain(text('APN', 'APN', 'APN'), 100, 1),
      mcc_mnc: shapedLine(
        text('Network code (MCC and MNC)', 'Mã mạng (MCC và MNC)', '网络代码（MCC 和 MNC）'),
        z.string().regex(...shaped('mcc_mnc', /^(?:\d{5,6})?$/)),
        { placeholder: '45204' },
      ),
      user: plain(user_name, 64),
      password: secret(password, Plain(64, 1), { bound_to: ['apn', 'user'] }),
      authentication: choice(text('Authentication', 'Xác thực', '认证'), {
        none: text('None', 'Không', '无'),
        pap: text('PAP', 'PAP', 'PAP'),
        chap: text('CHAP', 'CHAP', 'CHAP'),
        pap_or_chap: text('PAP or CHAP', 'PAP hoặc CHAP', 'PAP 或 CHAP'),
      }),
    }),
  },
})

export const ntp = section({
  type: configTypes.os,
  title: text('Time server (NTP)', 'Máy chủ thời gian (NTP)', '时间服务器（NTP）'),
  hint: text('Where the device takes the time from.', 'Nơi thiết bị lấy thời gian.', '设备校时的来源。'),
  capability: 'system',
  fields: {
    server: shapedLine(server, Line(253, 1).refine(isHost, wrong('machine_host')), { placeholder: 'pool.ntp.org' }),
    every_hours: number(text('Interval', 'Chu kỳ', '间隔'), 1, 168, 24, { unit: 'h' }),
  },
})

export const proxy = section(
  {
    type: configTypes.os,
    title: text('Proxy', 'Proxy', '代理'),
    hint: text('How the device reaches the internet.', 'Cách thiết bị truy cập internet.', '设备访问互联网的方式。'),
    capability: 'browser',
    takes_hold: true,
    fields: {
      mode: choice(text('Proxy', 'Proxy', '代理'), {
        none: text('None', 'Không', '无'),
        manual: text('By host and port', 'Theo máy chủ và cổng', '指定主机和端口'),
        automatic: text('Automatic configuration (PAC)', 'Cấu hình tự động (PAC)', '自动配置（PAC）'),
      }),
      host: shapedLine(server, Host, { when: ['mode', 'manual'] }),
      port: maybeNumber(port, 1, 65_535, { when: ['mode', 'manual'] }),
      user: plain(user_name, 64, 0, { when: ['mode', 'manual'] }),
      password: secret(password, Plain(64, 1), { when: ['mode', 'manual'], bound_to: ['host', 'port', 'user'] }),
      exceptions: line(
        text('Not for (separated by commas)', 'Không dùng cho (cách nhau bằng dấu phẩy)', '例外（用逗号分隔）'),
        1000,
        0,
        { when: ['mode', 'manual'] },
      ),
      pac_url: line(text('Address of the PAC file', 'Địa chỉ tệp PAC', 'PAC 文件地址'), 500, 0, {
        when: ['mode', 'automatic'],
      }),
    },
  },
  (schema) =>
    schema
      .refine(
        ({ mode, host: of, port: at }) => mode !== 'manual' || (of !== '' && at !== null),
        wrong('required', undefined, 'host'),
      )
      .refine(
        ({ mode, pac_url }) => mode !== 'automatic' || /^https?:\/\/[^\s/]+/.test(pac_url),
        wrong('not_url', undefined, 'pac_url'),
      ),
)

/** The agent tries the new server before it leaves the old one, and comes back if it fails. */
export const server_address = section({
  type: configTypes.os,
  title: text('Server address', 'Địa chỉ máy chủ', '服务器地址'),
  hint: text(
    'Moves devices to another server. A device tests it first and stays where it is if the test fails.',
    'Chuyển thiết bị sang máy chủ khác. Thiết bị thử trước và ở lại máy chủ cũ nếu không được.',
    '将设备迁移到其他服务器。设备会先测试，失败则留在原服务器。',
  ),
  capability: 'server',
  takes_hold: true,
  fields: {
    url: shapedLine(text('Address', 'Địa chỉ', '地址'), ServerAddress, {
      placeholder: 'https://mdm.example.com:10102',
    }),
  },
})
