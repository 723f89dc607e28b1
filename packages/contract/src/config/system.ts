import * as z from 'zod'
import { constants } from '../constants.ts'
import { weekdayTexts } from '../window-text.ts'
import { shaped, text, wrong } from '../wire.ts'
import { Zone } from '../zones.ts'
import {
  choice,
  fileOf,
  line,
  many,
  maybeNumber,
  numbered,
  permit,
  Plain,
  plain,
  power,
  rows,
  secret,
  section,
  shapedLine,
  toggle,
} from './kit.ts'
import { configOptions, configTypes } from './names.ts'

const password = text('Password', 'Mật khẩu', '密码')

export const screen_lock = section(
  {
    type: configTypes.os,
    title: text('Screen lock', 'Khóa màn hình', '锁屏'),
    hint: text('Password of the screen lock.', 'Mật khẩu khóa màn hình.', '锁屏密码。'),
    capability: 'screen',
    takes_hold: true,
    fields: {
      password: secret(
        password,
        z
          .string()
          .min(constants.screen_lock_min)
          .max(16)
          .regex(...shaped('digits', /^\d+$/)),
        {
          hint: text('At least 4 digits.', 'Ít nhất 4 chữ số.', '至少 4 位数字。'),
        },
      ),
    },
  },
  (schema) => schema.refine(({ password: given }) => given !== '', wrong('required', undefined, 'password')),
)

export const manage_password = section(
  {
    type: configTypes.os,
    title: text('Manage password', 'Mật khẩu quản lý', '管理密码'),
    hint: text(
      'Opens what the device keeps from its users.',
      'Mở những mục bị khóa với người dùng thiết bị.',
      '用于打开对设备用户隐藏的设置。',
    ),
    capability: 'screen',
    takes_hold: true,
    fields: {
      password: secret(password, Plain(64, constants.manage_password_min), {
        hint: text(
          'At least 6 characters, without spaces.',
          'Ít nhất 6 ký tự, không có khoảng trắng.',
          '至少 6 个字符，不含空格。',
        ),
      }),
    },
  },
  (schema) => schema.refine(({ password: given }) => given !== '', wrong('required', undefined, 'password')),
)

export const device_name = section(
  {
    type: configTypes.os,
    title: text('Name of the device', 'Tên thiết bị', '设备名称'),
    hint: text(
      'As the device calls itself in networks and over Bluetooth.',
      'Tên thiết bị dùng trong mạng và Bluetooth.',
      '设备在网络和蓝牙中使用的名称。',
    ),
    capability: 'system',
    fields: {
      option: numbered(text('Name', 'Tên', '名称'), {
        [configOptions.no_change]: text('No change', 'Giữ nguyên', '不更改'),
        [configOptions.custom]: text('Custom', 'Tùy chỉnh', '自定义'),
        [configOptions.device_model]: text('Device model', 'Kiểu máy', '设备型号'),
        [configOptions.device_sn]: text('Device SN', 'SN thiết bị', '设备 SN'),
      }),
      custom: plain(text('Custom name', 'Tên tùy chỉnh', '自定义名称'), 32, 0, {
        when: ['option', configOptions.custom],
      }),
    },
  },
  (schema) =>
    schema.refine(
      ({ option, custom }) => option !== configOptions.custom || custom !== '',
      wrong('required', undefined, 'custom'),
    ),
)

export const time_zone = section({
  type: configTypes.os,
  title: text('Time zone', 'Múi giờ', '时区'),
  hint: text('Zone of the clock of the device.', 'Múi giờ của đồng hồ thiết bị.', '设备时钟的时区。'),
  capability: 'system',
  fields: { zone_id: shapedLine(text('Time zone', 'Múi giờ', '时区'), Zone, { is_zone: true }) },
})

export const language = section({
  type: configTypes.os,
  title: text('Language', 'Ngôn ngữ', '语言'),
  hint: text('Language of the device.', 'Ngôn ngữ của thiết bị.', '设备的语言。'),
  capability: 'system',
  fields: {
    locale: shapedLine(
      text('Language and region', 'Ngôn ngữ và vùng', '语言和地区'),
      z.string().regex(...shaped('android_locale', /^[a-z]{2,3}_[A-Z]{2}$/)),
      { is_locale: true },
    ),
  },
})

export const factory_reset = section({
  type: configTypes.os,
  title: text('Factory reset', 'Khôi phục cài đặt gốc', '恢复出厂设置'),
  hint: text(
    'Whether users of the device may reset it.',
    'Người dùng thiết bị có được khôi phục cài đặt gốc hay không.',
    '设备用户是否可以恢复出厂设置。',
  ),
  capability: 'system',
  fields: { by_users: permit(text('By users', 'Bởi người dùng', '由用户操作')) },
})

export const hardware = section({
  type: configTypes.os,
  title: text('Ports and sensors', 'Cổng và cảm biến', '端口与传感器'),
  hint: text('What of the device may be used.', 'Những bộ phận của thiết bị được phép dùng.', '设备允许使用的硬件。'),
  capability: 'hardware',
  takes_hold: true,
  fields: {
    usb: permit(text('USB data', 'Dữ liệu USB', 'USB 数据')),
    bluetooth: permit(text('Bluetooth', 'Bluetooth', '蓝牙')),
    nfc: permit(text('NFC', 'NFC', 'NFC')),
    gps: permit(text('GPS', 'GPS', 'GPS')),
    camera: permit(text('Camera', 'Camera', '摄像头')),
    microphone: permit(text('Microphone', 'Micrô', '麦克风')),
  },
})

export const display = section({
  type: configTypes.os,
  title: text('Display and sound', 'Màn hình và âm thanh', '显示与声音'),
  hint: text('What is empty is left as it is.', 'Mục để trống được giữ nguyên.', '留空的项目不更改。'),
  capability: 'screen',
  fields: {
    brightness: maybeNumber(text('Brightness', 'Độ sáng', '亮度'), 1, 100, { unit: '%' }),
    auto_brightness: power(text('Adaptive brightness', 'Độ sáng thích ứng', '自动亮度')),
    screen_off_seconds: maybeNumber(text('Screen time-out', 'Thời gian tắt màn hình', '屏幕超时'), 5, 3600, {
      unit: 's',
    }),
    media_volume: maybeNumber(text('Media volume', 'Âm lượng nội dung', '媒体音量'), 0, 100, { unit: '%' }),
    ring_volume: maybeNumber(text('Ring volume', 'Âm lượng chuông', '铃声音量'), 0, 100, { unit: '%' }),
    alarm_volume: maybeNumber(text('Alarm volume', 'Âm lượng báo thức', '闹钟音量'), 0, 100, { unit: '%' }),
  },
})

export const key_mapping = section(
  {
    type: configTypes.os,
    title: text('Key mapping', 'Gán phím', '按键映射'),
    hint: text('What the keys of the device do.', 'Chức năng của các phím trên thiết bị.', '设备按键的功能。'),
    capability: 'hardware',
    fields: {
      keys: rows(
        text('Keys', 'Phím', '按键'),
        30,
        {
          key: plain(text('Key', 'Phím', '按键'), 40, 1, { placeholder: 'SCAN_LEFT' }),
          action: choice(text('Does', 'Chức năng', '功能'), {
            none: text('Nothing', 'Không làm gì', '无'),
            scan: text('Scan', 'Quét', '扫描'),
            home: text('Home', 'Màn hình chính', '主屏幕'),
            back: text('Back', 'Quay lại', '返回'),
            volume_up: text('Volume up', 'Tăng âm lượng', '增大音量'),
            volume_down: text('Volume down', 'Giảm âm lượng', '减小音量'),
            push_to_talk: text('Push to talk', 'Nhấn để nói', '一键通话'),
            open_app: text('Open an app', 'Mở ứng dụng', '打开应用'),
          }),
          package: plain(text('App', 'Ứng dụng', '应用'), 200, 0, {
            when: ['action', 'open_app'],
            placeholder: 'com.example.scan',
            is_package: true,
          }),
        },
        (schema) =>
          schema.refine(
            ({ action, package: app }) => action !== 'open_app' || app !== '',
            wrong('required', undefined, 'package'),
          ),
      ),
    },
  },
  (schema) =>
    schema.refine(
      ({ keys }) => new Set(keys.map(({ key }) => key)).size === keys.length,
      wrong('entry_repeated', undefined, 'keys'),
    ),
)

const certificate_bytes = 12 * 1024
const certificates_characters = 64 * 1024
export const certificates = section(
  {
    type: configTypes.os,
    title: text('Certificates', 'Chứng chỉ', '证书'),
    hint: text(
      'PEM for authorities, PKCS#12 for what the device shows itself with.',
      'PEM cho tổ chức cấp chứng chỉ, PKCS#12 cho chứng chỉ của thiết bị.',
      'PEM 用于证书颁发机构，PKCS#12 用于设备自身身份。',
    ),
    capability: 'certificates',
    takes_hold: true,
    fields: {
      certificates: rows(text('Certificates', 'Chứng chỉ', '证书'), 20, {
        name: line(text('Name', 'Tên', '名称'), 100, 1),
        format: choice(text('Format', 'Định dạng', '格式'), {
          pem: text('PEM', 'PEM', 'PEM'),
          pkcs12: text('PKCS#12', 'PKCS#12', 'PKCS#12'),
        }),
        private_file: fileOf(text('File', 'Tệp', '文件'), certificate_bytes, { bound_to: ['format'] }),
        password: secret(password, z.string().min(1).max(100), { when: ['format', 'pkcs12'], bound_to: ['format'] }),
        subject: line(text('Subject', 'Chủ thể', '主体'), 300, 0, { is_derived: true }),
        expires_at: line(text('Expires', 'Hết hạn', '到期时间'), 40, 0, { is_derived: true, is_end: true }),
      }),
    },
  },
  (schema) =>
    schema
      .refine(
        ({ certificates: list }) => new Set(list.map(({ name }) => name)).size === list.length,
        wrong('entry_repeated', undefined, 'certificates'),
      )
      .refine(
        ({ certificates: list }) =>
          list.reduce((sum, { private_file }) => sum + private_file.length, 0) <= certificates_characters,
        wrong('bytes_too_many', { max: certificates_characters }, 'certificates'),
      ),
)

const Clock = z.string().regex(...shaped('clock_time', /^(?:[01]\d|2[0-3]):[0-5]\d$/))
const Days = z.array(z.number().int().min(1).max(7)).max(7)
const day_options = Object.fromEntries(weekdayTexts.map((day, at) => [String(at + 1), day]))
const hours = (when: readonly [string, ...unknown[]], say: { is_derived?: true } = {}) => ({
  days: many(text('Days', 'Ngày', '星期'), Days, {
    ...say,
    when,
    options: day_options,
    hint: text('None chosen: every day.', 'Không chọn: hằng ngày.', '不选则每天。'),
  }),
  from: shapedLine(text('From', 'Từ', '从'), z.union([z.literal(''), Clock]), { ...say, when, placeholder: '22:00' }),
  to: shapedLine(text('To', 'Đến', '至'), z.union([z.literal(''), Clock]), { ...say, when, placeholder: '05:00' }),
})
const own_hours = hours(['mode', 'window'])
const named_hours = hours(['mode', 'named'], { is_derived: true })
/** When devices install updates: hours of its own, or those of a maintenance window, which follow the window. */
export const update_window = section(
  {
    type: configTypes.os,
    title: text('Update window', 'Khung giờ cập nhật', '更新时段'),
    hint: text(
      'When the device installs updates by itself.',
      'Khi nào thiết bị tự cài bản cập nhật.',
      '设备自动安装更新的时间。',
    ),
    capability: 'updates',
    // A device knows hours, and nothing of names.
    toWire: ({ mode, window_days, window_from, window_to, days, from, to, is_charging }) => {
      const said = mode === 'named' ? { days: window_days, from: window_from, to: window_to } : { days, from, to }
      const has_days = said.days.length > 0 && said.days.length < 7
      return {
        mode: mode === 'named' ? 'window' : mode,
        from: said.from,
        to: said.to,
        ...(has_days && { days: said.days }),
        is_charging,
      }
    },
    fields: {
      mode: choice(text('Updates', 'Cập nhật', '更新'), {
        window: text('Within the window', 'Trong khung giờ', '在时段内'),
        named: text('In a maintenance window', 'Trong khung bảo trì', '在维护时段内'),
        at_once: text('At once', 'Ngay lập tức', '立即'),
        never: text('Not by itself', 'Không tự cài', '不自动安装'),
      }),
      window_kid: shapedLine(
        text('Maintenance window', 'Khung bảo trì', '维护时段'),
        z.string().refine((kid) => kid === '' || z.uuid().safeParse(kid).success, wrong('window_unknown')),
        { when: ['mode', 'named'], is_maintenance_window: true },
      ),
      window_name: line(text('Maintenance window', 'Khung bảo trì', '维护时段'), 64, 0, {
        when: ['mode', 'named'],
        is_derived: true,
      }),
      window_days: named_hours.days,
      window_from: named_hours.from,
      window_to: named_hours.to,
      ...own_hours,
      is_charging: toggle(text('Only while charging', 'Chỉ khi đang sạc', '仅在充电时'), false, {
        when: ['mode', 'window', 'named'],
      }),
    },
  },
  (schema) =>
    schema
      .refine(
        ({ mode, from, to }) => mode !== 'window' || (from !== '' && to !== '' && from !== to),
        wrong('range_order', undefined, 'to'),
      )
      .refine(
        ({ mode, window_kid }) => mode !== 'named' || window_kid !== '',
        wrong('window_unknown', undefined, 'window_kid'),
      ),
)
