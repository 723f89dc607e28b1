import * as z from 'zod'
import { agentKinds } from '../agents.ts'
import { constants } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Instant, Kid, Nothing, paged, paging, QueryBool, Sn, text, wrong } from '../wire.ts'
import { remoteKinds } from './terminal_remote.ts'
import { customFieldLimits, FieldValue, FieldValues } from './custom_field.ts'
import { UploadRoles } from './terminal_config.ts'
import { given, namedOrMatched, targets } from './targets.ts'
import { FenceStatus, Tag, tagLimits, TerminalFilter } from './terminal_filter.ts'

const Level = z.number().min(0).max(100)
const GroupTarget = z.union([Kid, z.literal('NO_GROUP')])
/** Too long and percent have codes of their own (40018, 40019), so the schema leaves them to the service. */
const Alias = z.string().trim().max(1000)
const AnySn = Sn(1000)

/** Characters of what people write about a device. */
export const device_note_max = 2_000

/** What home shows at a glance. */
export const home_limits = { low_storage: 6, quarantined: 6 } as const

/** Devices that leave their account. Who names them by kid and by SN must mean the same ones. */
const Removal = z
  .object({
    terminalKids: targets.terminal_kids,
    sns: z.array(AnySn).min(1).max(1000).optional().describe('instead of terminalKids, or beside it as a check'),
    match: targets.match,
    expected_count: Count.optional().describe('with match: how many devices that is'),
    confirm: z.string().max(20),
  })
  .refine(
    ({ terminalKids, sns, match }) => given(terminalKids ?? sns, match) === 1,
    wrong('named_or_match', undefined, 'terminalKids'),
  )
  .refine(
    ({ match, expected_count }) => given(match, expected_count) !== 1,
    wrong('goes_with', { field: 'match' }, 'expected_count'),
  )
const removesMany = ({ terminalKids, sns, match }: z.output<typeof Removal>): boolean =>
  match !== undefined || (terminalKids ?? sns ?? []).length >= constants.password_from_devices

export const TerminalRow = z.object({
  kid: Kid,
  sn: z.string(),
  name: z.string().describe('alias; empty when none was given'),
  model: z.string(),
  os_name: z.string(),
  os_version: z.string(),
  uid: z.string().describe('of its operating system; empty when it reports none'),
  version_code: Count.nullable(),
  ver: Count.nullable(),
  terminal_group_kid: Kid.nullable(),
  terminal_group_name: z.string().nullable(),
  is_online: z.boolean(),
  is_asleep: z
    .boolean()
    .describe('it said as it went that it was put to sleep: a page in a browser; since last_online_at'),
  last_online_at: Instant.nullable(),
  quarantined_until: Instant.nullable().describe('two machines use its secret: until then it cannot connect'),
  lost_at: Instant.nullable().describe('since when it is lost'),
  registered_at: Instant,
  agent_kind: z.enum(agentKinds).describe('mdm: it speaks the device link; others come through a gateway'),
  service_version: z.string().describe('of its agent'),
  task_types: z
    .array(z.string())
    .nullable()
    .describe('kinds of pushes that it carries out; null where it has not said'),
  battery_level: Level.nullable(),
  battery_charging: z.string().nullable(),
  network_type: z.string().nullable(),
  signal: z.number().nullable().describe('dBm'),
  imei: z.string().nullable(),
  device_name: z.string().nullable().describe('what the device calls itself'),
  ap_name: z.string().nullable().describe('Wi-Fi network it is in'),
  battery_health: z.string().nullable(),
  battery_temperature: z.number().nullable().describe('degrees Celsius'),
  is_metered: z.boolean(),
  is_roaming: z.boolean(),
  foreground_app: z.string().nullable(),
  location_fence_status: FenceStatus.describe('0: no fence is in force, 1: inside, 2: outside'),
  tags: z.array(z.string()),
  fields: FieldValues.describe('values of the fields of the account, by their kid'),
  upload_roles: UploadRoles,
})
export type TerminalRow = z.output<typeof TerminalRow>

const parts = z.record(z.string(), z.unknown()).nullable()
export const TerminalDetail = TerminalRow.extend({
  registration_code: z.string().nullable().describe('that it was registered by; null for one that came by a QR code'),
  qrcode_kid: Kid.nullable().describe('of the QR code that it was registered by'),
  protocol_version: z.number(),
  tunnels: z
    .array(z.enum(remoteKinds))
    .nullable()
    .describe('kinds of remote sessions that it opens; null where it has said nothing of them'),
  resolution: z.string().nullable(),
  host: z.string().nullable(),
  public_ip: z.string().nullable(),
  transport: z
    .enum(['mqtt', 'websocket', 'check_in'])
    .nullable()
    .describe('check_in: it keeps no connection, and comes now and then'),
  connected_at: Instant.nullable(),
  last_contact_at: Instant.nullable(),
  device_time: Instant.nullable(),
  clock_is_off: z.boolean(),
  boot_at: Instant.nullable(),
  note: z.string().describe('what people wrote about it'),
  renewal_asked_at: Instant.nullable().describe('it has no secret: it is registered again by the code that it shows'),
  state_at: Instant.nullable(),
  battery: parts,
  network: parts,
  sims: z.array(z.record(z.string(), z.unknown())).nullable(),
  wifi: parts,
  run: parts,
  location: parts,
})
export type TerminalDetail = z.output<typeof TerminalDetail>

export const TerminalEventRow = z.object({
  kid: Kid,
  type: z.string(),
  at: Instant.describe('device time, clamped to the time of receipt'),
  received_at: Instant,
  detail: z.record(z.string(), z.unknown()),
})

export const RunPoint = z.object({
  at: Instant,
  cpu: z.number().nullable(),
  memory_used: z.number().nullable(),
  memory_total: z.number().nullable(),
  storage_used: z.number().nullable(),
  storage_total: z.number().nullable(),
  battery_level: z.number().nullable(),
})

/** Why a place of a device's message was not taken over; as in packages/device-link. */
export const refusedReasons = ['too_long', 'out_of_range', 'wrong', 'missing', 'not_json', 'too_many'] as const

export const facet_shares_max = 50
export const FacetShares = z
  .object({
    top: z
      .array(z.object({ value: z.string(), count: Count }))
      .max(facet_shares_max)
      .describe('most devices first'),
    rest: Count.describe('devices of all other values'),
  })
  .describe('devices that have reported a value, by value')
export type FacetShares = z.output<typeof FacetShares>

export const terminal = group(withinGroups('terminal'), text('Devices', 'Thiết bị', '设备'), {
  paging: read('POST', {
    needs: 'deviceList',
    title: text('List devices', 'Danh sách thiết bị', '设备列表'),
    input: paging(['sn', 'name', 'model', 'os_version', 'registered_at', 'last_online_at', 'battery_level']).extend(
      TerminalFilter.shape,
    ),
    output: paged(TerminalRow),
  }),
  count: read('POST', {
    needs: 'deviceList',
    title: text('Count devices', 'Đếm thiết bị', '统计设备数量'),
    input: z.object({ match: TerminalFilter }),
    output: z.object({ count: Count.describe('exact, however many there are') }),
  }),
  list_tag: read('GET', {
    needs: 'deviceList',
    title: text('List tags', 'Danh sách nhãn', '标签列表'),
    input: Nothing,
    output: z.array(z.string()).describe('those that a device has'),
  }),
  facets: read('GET', {
    needs: 'deviceList',
    title: text('List models and versions', 'Danh sách kiểu máy và phiên bản', '型号与版本列表'),
    input: z.object({ with_shares: QueryBool.default(false).describe('also counts devices by model and version') }),
    output: z.object({
      models: z.array(z.string()),
      os_versions: z.array(z.string()),
      uids: z.array(z.string()),
      total: Count,
      online: Count,
      model_shares: FacetShares.optional(),
      os_version_shares: FacetShares.optional(),
    }),
  }),
  list_quarantined: read('GET', {
    needs: 'deviceList',
    title: text('List quarantined devices', 'Danh sách thiết bị bị cách ly', '已隔离的设备'),
    input: Nothing,
    output: z
      .array(
        z.object({
          kid: Kid,
          sn: z.string(),
          name: z.string(),
          model: z.string(),
          quarantined_until: Instant.describe('two machines use its secret: until then it cannot connect'),
        }),
      )
      .max(home_limits.quarantined),
  }),
  list_low_storage: read('GET', {
    needs: 'deviceList',
    title: text('List devices with little storage left', 'Danh sách thiết bị sắp hết bộ nhớ', '存储空间不足的设备'),
    input: Nothing,
    output: z
      .array(
        z.object({
          kid: Kid,
          sn: z.string(),
          name: z.string(),
          model: z.string(),
          storage_percent: z.number().int().describe('part in use, 90 at least'),
        }),
      )
      .max(home_limits.low_storage)
      .describe('the fullest first'),
  }),
  list_online: read('GET', {
    needs: 'deviceList',
    title: text('Read how many devices were online', 'Đọc số thiết bị trực tuyến', '读取在线设备数'),
    input: Nothing,
    output: z.object({
      points: z
        .array(z.object({ at: Instant, online: Count }))
        .describe('of the last 24 hours, every 5 minutes, and now'),
    }),
  }),
  get: read('GET', {
    needs: 'deviceDetailInfo',
    title: text('Read a device', 'Đọc thiết bị', '读取设备'),
    input: ByKid,
    output: TerminalDetail,
  }),
  paging_event: read('POST', {
    needs: 'deviceDetailEvent',
    title: text('List device events', 'Danh sách sự kiện thiết bị', '设备事件列表'),
    input: paging(['at']).extend({ terminal_kid: Kid, type: z.string().max(40).optional() }),
    output: paged(TerminalEventRow),
  }),
  list_refusal: read('GET', {
    needs: 'deviceDetailEvent',
    title: text('List refused reports', 'Danh sách báo cáo bị từ chối', '被拒绝的上报列表'),
    input: z.object({ terminal_kid: Kid }),
    output: z
      .array(
        z.object({
          kid: Kid,
          at: Instant,
          name: z.enum(['hello', 'state', 'event', 'task', 'reply', 'gone']),
          is_whole: z.boolean().describe('nothing of it was stored'),
          parts: z.array(z.object({ path: z.string(), reason: z.enum(refusedReasons), message: z.string() })),
        }),
      )
      .describe('newest first, the last 20'),
  }),
  list_run: read('GET', {
    needs: 'deviceDetailRun',
    title: text('Read running history', 'Đọc lịch sử vận hành', '读取运行历史'),
    input: z.object({ terminal_kid: Kid, hours: z.coerce.number<number | string>().int().min(1).max(168).default(24) }),
    output: z.array(RunPoint).describe('oldest first, at most 500 points, thinned evenly'),
  }),
  manual_registered: write('POST', {
    needs: 'deviceList:register',
    title: text('Register a device', 'Đăng ký thiết bị', '注册设备'),
    input: z.object({
      sn: AnySn,
      registration_code: z.string().trim().min(1).max(20),
      name: Alias.optional(),
      terminal_group_kid: GroupTarget.default('NO_GROUP'),
    }),
    output: TerminalRow,
    errors: [
      'sn_too_long',
      'alias_too_long',
      'alias_has_percent',
      'device_unknown',
      'device_already_registered',
      'registration_code_mismatch',
      'too_many_wrong_codes',
      'account_device_limit',
      'registered_devices_exceed_limit',
      'activation_missing',
      'activation_expired',
      'group_unknown',
      'device_scrapped',
    ],
  }),
  qrcode_registered_cache: write('POST', {
    needs: 'deviceList:register',
    title: text('Create a one-time QR code', 'Tạo mã QR dùng một lần', '生成一次性二维码'),
    input: z.object({
      host: z.string().max(255).optional().describe('address the device shall use; the public address when absent'),
      qrcode_kid: Kid.optional().describe('renews this code instead of leaving it valid'),
      terminal_group_kid: GroupTarget.default('NO_GROUP'),
    }),
    output: z.object({ qrcode_kid: Kid, content: z.string().describe('text of the QR code'), expires_at: Instant }),
    errors: ['group_unknown', 'account_device_limit', 'activation_missing', 'activation_expired'],
  }),
  get_scan_result: read('GET', {
    needs: 'deviceList:register',
    title: text('Read the result of a QR code', 'Đọc kết quả mã QR', '读取扫码结果'),
    input: z.object({ qrcode_kid: Kid }),
    output: z.object({
      state: z.enum(['waiting', 'registered', 'expired']),
      terminal_kid: Kid.nullable(),
      sn: z.string().nullable(),
    }),
  }),
  update: write('GET', {
    needs: 'deviceList:edit',
    title: text('Rename a device', 'Đổi tên thiết bị', '重命名设备'),
    input: z.object({ kid: Kid, name: Alias }),
    output: TerminalRow,
    errors: ['alias_too_long', 'alias_has_percent'],
  }),
  update_note: write('POST', {
    needs: 'deviceList:edit',
    title: text('Edit the note of a device', 'Sửa ghi chú thiết bị', '编辑设备备注'),
    input: z.object({ kid: Kid, note: z.string().trim().max(device_note_max) }),
    output: Nothing,
  }),
  update_fields: write('POST', {
    needs: 'deviceList:edit',
    title: text('Edit tags and fields', 'Sửa nhãn và trường', '编辑标签和字段'),
    input: z
      .object({
        kid: Kid.optional(),
        ...targets,
        fields: z
          .record(Kid, FieldValue.nullable())
          .refine(
            (fields) => Object.keys(fields).length <= customFieldLimits.fields,
            wrong('too_many', { max: customFieldLimits.fields }),
          )
          .default({})
          .describe('by the kid of the field; null takes the value away'),
        tags: z
          .object({
            add: z.array(Tag).max(tagLimits.of_device).default([]),
            remove: z.array(Tag).max(tagLimits.of_device).default([]),
          })
          .default({ add: [], remove: [] }),
      })
      .refine(
        ({ kid, terminal_kids, match }) => given(kid, terminal_kids, match) === 1,
        wrong('named_or_match', undefined, 'terminal_kids'),
      ),
    output: z.object({ updated: Count }),
    errors: [
      'device_not_found',
      'custom_field_unknown',
      'custom_field_value_wrong',
      'device_tags_limit',
      'account_tags_limit',
    ],
  }),
  move_group_batch: write('POST', {
    needs: 'deviceList:move',
    title: text('Move devices to a group', 'Chuyển thiết bị sang nhóm', '移动设备分组'),
    input: z.object({ ...targets, terminal_group_kid: GroupTarget }).refine(...namedOrMatched),
    output: z.object({ moved: Count }),
    errors: ['group_unknown', 'device_not_found'],
    destroys: () => true,
  }),
  renew_secret: write('POST', {
    needs: 'deviceList:cancel',
    title: text('Renew the secret of a device', 'Cấp lại khóa bí mật của thiết bị', '更换设备密钥'),
    input: ByKid,
    output: Nothing,
    errors: [],
    destroys: () => true,
  }),
  lift_quarantine: write('POST', {
    needs: 'deviceList:cancel',
    title: text('Lift the quarantine of a device', 'Gỡ cách ly thiết bị', '解除设备隔离'),
    input: ByKid,
    output: Nothing,
    errors: [],
  }),
  batch_cancel: write('POST', {
    needs: 'deviceList:cancel',
    title: text('Deregister devices', 'Hủy đăng ký thiết bị', '注销设备'),
    input: Removal,
    output: z.object({ canceled: Count }),
    errors: ['device_not_found', 'confirm_text_wrong', 'match_changed'],
    asks_password: removesMany,
    destroys: () => true,
    works_on_full_disk: true,
  }),
  batch_scrap: write('POST', {
    needs: 'deviceList:cancel',
    title: text('Scrap devices', 'Loại bỏ thiết bị', '报废设备'),
    input: Removal,
    output: z.object({
      scrapped: Count.describe('0 when they wait'),
      schedule_version: Kid.nullable().describe('of many devices, which wait: for terminal/cancel_scrap_schedule'),
      due_at: Instant.nullable(),
    }),
    errors: ['device_not_found', 'confirm_text_wrong', 'match_changed', 'scrap_limit'],
    asks_password: removesMany,
    destroys: () => true,
    works_on_full_disk: true,
  }),
})
