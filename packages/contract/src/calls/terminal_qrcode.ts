import * as z from 'zod'
import { packageErrors } from './app_package.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import { agentKinds } from '../agents.ts'
import { ServerAddress } from '../server-address.ts'
import { Bytes, ByKid, Count, Done, Instant, Kid, Line, paged, paging, text, shaped, wrong } from '../wire.ts'
import { Zone } from '../zones.ts'

const GroupTarget = z.union([Kid, z.literal('NO_GROUP')])
const Host = ServerAddress.optional().describe(
  'address that devices shall use, with scheme and port; the public address when absent',
)

/** A code that registers any number of devices until it is revoked. Its token is told by `get` alone. */
export const PermanentQrcode = z.object({
  kid: Kid,
  terminal_group_kid: Kid.nullable(),
  terminal_group_name: z.string().nullable(),
  host: z.string().nullable().describe('address that the code names; null is the public address'),
  needs_approval: z.boolean().describe('who shows it waits until an operator lets it in'),
  use_count: Count.describe('devices registered by it'),
  used_at: Instant.nullable().describe('when the last of them was'),
  sn: z.string().nullable().describe('SN of the last of them'),
  created_by: z.string(),
  created_at: Instant,
  revoked_at: Instant.nullable(),
})
export type PermanentQrcode = z.output<typeof PermanentQrcode>
/** `token` in the name keeps it out of the operation log. */
const ShownQrcode = PermanentQrcode.extend({ token_url: z.string().describe('text of the QR code') })

/** A device that asked to be let in by a code that needs approval, or a known one that came with another key. */
export const WaitingDevice = z.object({
  kid: Kid,
  sn: z.string().describe('a label where the device has said no serial number'),
  identity: z.string().describe('what a device without a serial number says of itself'),
  key_sha256: z.string().describe('of its public key, or of what it has in place of one; hexadecimal'),
  model: z.string(),
  os_name: z.string(),
  os_version: z.string(),
  agent_kind: z.enum(agentKinds),
  qrcode_kid: Kid,
  terminal_group_name: z.string().nullable().describe('group that the code leads to'),
  is_known: z.boolean().describe('a registered device comes with another key: to let it in shuts the former key out'),
  address: z.string().describe('network that it asked from'),
  announced_at: Instant.describe('when it last asked'),
  expires_at: Instant.describe('when the request is forgotten, unless it asks again; a refused one is forgotten then'),
  refused_at: Instant.nullable(),
})
export type WaitingDevice = z.output<typeof WaitingDevice>

/** An agent that devices fetch during Android's set-up. */
export const EnrolmentApk = z.object({
  kid: Kid,
  name: z.string(),
  size: Bytes,
  signature_checksum: z.string().describe('base64url SHA-256 of the signing certificate'),
  signature_scheme: z.enum(['v1', 'v2', 'v3', 'v3.1']),
  created_by: z.string(),
  created_at: Instant,
})
export type EnrolmentApk = z.output<typeof EnrolmentApk>

const packageName = String.raw`[A-Za-z]\w*(\.[A-Za-z]\w*)+`
const className = String.raw`\.?[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*`
const component = `^${packageName}/${className}$`
const ComponentName = z
  .string()
  .trim()
  .max(255)
  .regex(...shaped('component_name', new RegExp(component)))

const hexadecimal = /^([0-9a-f]{2}:?){31}[0-9a-f]{2}$/i
const base64url = /^[\w-]{43}=?$/
/** As `apksigner` prints it (hexadecimal, colons or none) or as Android wants it; on the wire it becomes the latter. */
const SignatureChecksum = z
  .string()
  .trim()
  .max(100)
  .refine(
    (given) => hexadecimal.test(given) || base64url.test(given),
    shaped('signature_checksum', new RegExp(`${hexadecimal.source}|${base64url.source}`))[1],
  )
  .transform((given) => (hexadecimal.test(given) ? base64urlOf(given) : given.replace('=', '')))

function base64urlOf(hex: string): string {
  const bytes = hex.replaceAll(':', '').match(/../g) ?? []
  const base64 = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

const utf8Length = (given: string): number => new TextEncoder().encode(given).length
const wifiSecurity = ['NONE', 'WPA', 'WEP'] as const
export const ProvisioningWifi = z
  .object({
    ssid: Line(32, 1).refine((ssid) => utf8Length(ssid) <= 32, wrong('bytes_too_many', { max: 32 })),
    is_hidden: z.boolean().default(false),
    security_type: z.enum(wifiSecurity).default('WPA'),
    password: z.string().max(64).default(''),
  })
  .superRefine(({ security_type, password }, context) => {
    const is_wrong =
      security_type === 'WPA' ? password.length < 8 : security_type === 'WEP' ? password.length < 5 : password !== ''
    if (is_wrong) context.addIssue({ code: 'custom', path: ['password'], message: 'wifi_password' })
  })
export const provisioning_wifi_security = wifiSecurity

/** Ours begin so; see ADMIN_EXTRAS in the agent's documentation. */
export const own_extras_prefix = 'mdm.'
const ExtraKey = z
  .string()
  .trim()
  .regex(...shaped('extra_key', /^[\w.:-]{1,100}$/))
  .refine((key) => !key.startsWith(own_extras_prefix), wrong('key_reserved', { prefix: own_extras_prefix }))

/** Agents of `agentKinds` that Android's set-up installs. */
const androidAgents = ['mdm', 'mdmesh', 'headwind'] as const
export type AndroidAgent = (typeof androidAgents)[number]

/** What open agents call their receivers; builds of one's own may have another package. */
export const agent_components: Record<AndroidAgent, string> = {
  mdm: '',
  mdmesh: 'com.mdmesh.agent/com.mdmesh.agent.admin.AdminReceiver',
  headwind: 'com.hmdm.launcher/com.hmdm.launcher.AdminReceiver',
}

export const Provisioning = z.object({
  agent_kind: z
    .enum(androidAgents)
    .default('mdm')
    .describe('whose names the address and the token have in the code; mdmesh needs an https address without a path'),
  host: Host,
  component_name: ComponentName.describe('package/class of the device admin receiver'),
  upload_kid: Kid.optional().describe('an uploaded APK, which is kept for later codes'),
  apk_kid: Kid.optional().describe('an APK that was kept'),
  download_url: z
    .url({ protocol: /^https?$/ })
    .max(1000)
    .optional()
    .describe('where the APK is, when it is elsewhere'),
  signature_checksum: SignatureChecksum.optional().describe(
    'of the APK at download_url: SHA-256 of its signing certificate, base64url or hexadecimal',
  ),
  wifi: ProvisioningWifi.optional(),
  locale: z
    .string()
    .regex(...shaped('android_locale', /^[a-z]{2,3}_[A-Z]{2}$/))
    .optional(),
  time_zone: Zone.optional(),
  leave_all_system_apps_enabled: z.boolean().default(true),
  use_mobile_data: z.boolean().default(false),
  admin_extras: z
    .record(ExtraKey, z.union([z.string().max(1000), z.number().int(), z.boolean()]))
    .refine((extras) => Object.keys(extras).length <= 50, wrong('too_many', { max: 50 }))
    .default({})
    .describe('passed to the agent unchanged'),
  qrcode_kid: Kid.optional().describe('permanent code by which the agent registers; a new one when absent'),
  terminal_group_kid: GroupTarget.default('NO_GROUP').describe('group of the new code'),
})

/** Where the APK comes from is said in one way, and a foreign one comes with its checksum. */
const ProvisioningInput = Provisioning.superRefine((given, context) => {
  const sources = (['upload_kid', 'apk_kid', 'download_url'] as const).filter((name) => given[name] !== undefined)
  if (sources.length !== 1)
    context.addIssue({
      code: 'custom',
      path: [sources[1] ?? 'download_url'],
      message: 'one_apk',
    })
  if ((given.download_url === undefined) !== (given.signature_checksum === undefined))
    context.addIssue({
      code: 'custom',
      path: ['signature_checksum'],
      message: 'goes_with',
      params: { field: 'download_url' },
    })
})

const group_title = text('Registration QR codes', 'Mã QR đăng ký', '注册二维码')
export const terminalQrcode = group(withinGroups('terminal_qrcode'), group_title, {
  qrcode_forever_registered: write('POST', {
    path: 'terminal/qrcode_forever_registered',
    needs: 'deviceList:qrcode',
    title: text('Create a permanent QR code', 'Tạo mã QR cố định', '生成永久二维码'),
    input: z.object({
      host: Host,
      terminal_group_kid: GroupTarget.default('NO_GROUP'),
      needs_approval: z.boolean().default(false).describe('devices wait until an operator lets them in'),
    }),
    output: ShownQrcode,
    errors: ['group_unknown'],
  }),
  paging: read('POST', {
    needs: 'deviceList:qrcode',
    title: text('List permanent QR codes', 'Danh sách mã QR cố định', '永久二维码列表'),
    input: paging(['created_at', 'used_at', 'use_count']).extend({
      is_revoked: z.boolean().optional(),
      terminal_group_kid: Kid.optional(),
    }),
    output: paged(PermanentQrcode),
  }),
  get: read('GET', {
    needs: 'deviceList:qrcode',
    title: text('Show a permanent QR code', 'Hiện mã QR cố định', '查看永久二维码'),
    input: ByKid,
    output: ShownQrcode,
    errors: ['qrcode_invalid'],
  }),
  revoke: write('POST', {
    needs: 'deviceList:qrcode',
    title: text('Revoke a permanent QR code', 'Thu hồi mã QR cố định', '吊销永久二维码'),
    input: ByKid,
    output: PermanentQrcode,
    errors: ['qrcode_invalid'],
    works_on_full_disk: true,
  }),
  paging_waiting: read('POST', {
    path: 'terminal/paging_waiting',
    needs: 'deviceList:register',
    title: text('List devices that wait to be let in', 'Danh sách thiết bị chờ duyệt', '待批准设备列表'),
    input: paging(['announced_at']).extend({ is_refused: z.boolean().optional() }),
    output: paged(WaitingDevice),
  }),
  accept_waiting: write('POST', {
    path: 'terminal/accept_waiting',
    needs: 'deviceList:register',
    title: text('Let a waiting device in', 'Duyệt thiết bị đang chờ', '批准待批准设备'),
    input: ByKid,
    output: z.object({ kid: Kid.describe('of the registered device'), sn: z.string() }),
    errors: [
      'device_already_registered',
      'device_scrapped',
      'account_device_limit',
      'registered_devices_exceed_limit',
      'activation_missing',
      'activation_expired',
    ],
  }),
  reject_waiting: write('POST', {
    path: 'terminal/reject_waiting',
    needs: 'deviceList:register',
    title: text('Refuse a waiting device', 'Từ chối thiết bị đang chờ', '拒绝待批准设备'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
  qrcode_gms_registered: write('POST', {
    path: 'terminal/qrcode_gms_registered',
    needs: 'deviceList:qrcode',
    title: text(
      'Create an Android Enterprise QR code',
      'Tạo mã QR Android Enterprise',
      '生成 Android Enterprise 二维码',
    ),
    input: ProvisioningInput,
    output: z.object({
      qrcode_kid: Kid,
      secret_text: z.string().describe('text of the QR code: JSON with the token and the password of the Wi-Fi'),
      bytes: Bytes,
      apk: EnrolmentApk.nullable(),
    }),
    errors: [
      'group_unknown',
      'qrcode_invalid',
      'qrcode_too_large',
      'upload_not_finished',
      'file_transfer_failed',
      'storage_exceeded',
      ...packageErrors,
    ],
    keeps_uploads: true,
  }),
  list_apk: read('GET', {
    needs: 'deviceList:qrcode',
    title: text('List agents for set-up', 'Danh sách phần mềm quản lý', '初始化管理程序列表'),
    input: z.object({}),
    output: z.array(EnrolmentApk),
  }),
  delete_apk: write('POST', {
    needs: 'deviceList:qrcode',
    limited: 'refused',
    title: text('Delete an agent for set-up', 'Xóa phần mềm quản lý', '删除初始化管理程序'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
})
