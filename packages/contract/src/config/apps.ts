import type * as z from 'zod'
import { constants } from '../constants.ts'
import { Line, shaped, text, wrong } from '../wire.ts'
import { choice, line, lines, Plain, plain, rows, secret, section, shapedLine } from './kit.ts'
import { configTypes } from './names.ts'

const Package = Line(200, 1).regex(...shaped('app_package', /^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/))
const app = text('App', 'Ứng dụng', '应用')

export const app_lists = section(
  {
    type: configTypes.os,
    title: text('App lists', 'Danh sách ứng dụng', '应用名单'),
    hint: text(
      'With a whitelist nothing else is installed or started.',
      'Khi có danh sách trắng, không ứng dụng nào khác được cài hoặc mở.',
      '设置白名单后，其他应用不能安装或启动。',
    ),
    capability: 'apps',
    takes_hold: true,
    fields: {
      whitelist: lines(text('Whitelist', 'Danh sách trắng', '白名单'), Package, 200, { is_package: true }),
      blacklist: lines(text('Blacklist', 'Danh sách đen', '黑名单'), Package, 200, { is_package: true }),
    },
  },
  (schema) =>
    schema.refine(
      ({ whitelist, blacklist }) => !blacklist.some((one) => whitelist.includes(one)),
      wrong('entry_in_both', undefined, 'blacklist'),
    ),
)

export const kiosk = section(
  {
    type: configTypes.os,
    title: text('Kiosk', 'Chế độ kiosk', '自助终端模式'),
    hint: text(
      'The device shows these apps and nothing else.',
      'Thiết bị chỉ hiển thị các ứng dụng này.',
      '设备只显示这些应用。',
    ),
    capability: 'apps',
    takes_hold: true,
    fields: {
      mode: choice(text('Kiosk', 'Chế độ kiosk', '自助终端模式'), {
        off: text('Off', 'Tắt', '关'),
        one_app: text('One app', 'Một ứng dụng', '单应用'),
        several_apps: text('Several apps', 'Nhiều ứng dụng', '多应用'),
      }),
      apps: lines(text('Apps', 'Ứng dụng', '应用'), Package, 50, {
        when: ['mode', 'one_app', 'several_apps'],
        is_package: true,
      }),
      exit_password: secret(
        text('Exit password', 'Mật khẩu thoát', '退出密码'),
        Plain(64, constants.manage_password_min),
        { when: ['mode', 'one_app', 'several_apps'] },
      ),
    },
  },
  (schema) =>
    schema
      .refine(({ mode, apps }) => mode !== 'one_app' || apps.length === 1, wrong('kiosk_one', undefined, 'apps'))
      .refine(({ mode, apps }) => mode !== 'several_apps' || apps.length > 0, wrong('required', undefined, 'apps')),
)

const answers = {
  ask: text('Ask', 'Hỏi', '询问'),
  grant: text('Grant', 'Cấp', '授予'),
  deny: text('Deny', 'Từ chối', '拒绝'),
}
export const permission_policy = section({
  type: configTypes.os,
  title: text('Permissions of apps', 'Quyền của ứng dụng', '应用权限'),
  hint: text(
    'How the device answers what apps ask for.',
    'Cách thiết bị trả lời yêu cầu quyền của ứng dụng.',
    '设备如何处理应用的权限请求。',
  ),
  capability: 'apps',
  takes_hold: true,
  fields: {
    preset: choice(text('All apps', 'Mọi ứng dụng', '所有应用'), answers),
    exceptions: rows(
      text('Exceptions', 'Ngoại lệ', '例外'),
      200,
      {
        package: shapedLine(app, Package, { placeholder: 'com.example.scan', is_package: true }),
        permission: plain(text('Permission', 'Quyền', '权限'), 100, 1, { placeholder: 'android.permission.CAMERA' }),
        answer: choice(text('Answer', 'Trả lời', '处理方式'), answers),
      },
      undefined,
      { known_by: ['package', 'permission'] },
    ),
  },
})

const kinds = {
  text: text('Text', 'Văn bản', '文本'),
  yes_no: text('Yes or no', 'Có hoặc không', '是或否'),
  number: text('Number', 'Số', '数字'),
  choice: text('Choice', 'Lựa chọn', '单选'),
  several: text('Several choices', 'Nhiều lựa chọn', '多选'),
}
/** What an app reads as its restrictions (Android: RestrictionsManager). Texts carry every kind; `several` is by commas. */
export const managed_apps = section(
  {
    type: configTypes.os,
    title: text('Configuration of apps', 'Cấu hình ứng dụng', '应用配置'),
    hint: text(
      'What managed apps read as their settings.',
      'Thiết lập mà các ứng dụng được quản lý đọc.',
      '受管应用读取的设置。',
    ),
    capability: 'apps',
    fields: {
      entries: rows(
        text('Settings', 'Thiết lập', '设置'),
        200,
        {
          package: shapedLine(app, Package, { placeholder: 'com.example.scan', is_package: true }),
          key: plain(text('Key', 'Khóa', '键'), 100, 1),
          kind: choice(text('Kind', 'Kiểu', '类型'), kinds),
          value: line(text('Value', 'Giá trị', '值'), 1000),
        },
        (schema) =>
          schema
            .refine(
              ({ kind, value }) => kind !== 'number' || /^-?\d{1,15}$/.test(value),
              wrong('not_whole_number', undefined, 'value'),
            )
            .refine(
              ({ kind, value }) => kind !== 'yes_no' || value === 'true' || value === 'false',
              wrong('not_one_of', { values: 'true, false' }, 'value'),
            ),
        { known_by: ['package', 'key'] },
      ),
    },
  },
  (schema) =>
    schema
      .refine(
        ({ entries }) => new Set(entries.map((one) => `${one.package} ${one.key}`)).size === entries.length,
        wrong('entry_repeated', undefined, 'entries'),
      )
      .refine(
        ({ entries }) => JSON.stringify(entries).length <= 32_000,
        wrong('bytes_too_many', { max: 32_000 }, 'entries'),
      ),
)
export type ManagedEntry = z.output<typeof managed_apps.value>['entries'][number]
