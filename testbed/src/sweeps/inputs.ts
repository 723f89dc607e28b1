import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { realApk } from '@mdm/server/testing/apk.ts'
import { signedIn } from '../seed.ts'
import type { World } from '../world.ts'
import { uploadFile } from '../upload.ts'
import { batchInputs } from './inputs-batch.ts'
import { locationInputs } from './inputs-location.ts'
import { telemetryInputs } from './inputs-telemetry.ts'
import { lifeInputs, makeScrap } from './inputs-life.ts'
import { exportInputs, makeExport } from './inputs-export.ts'

export const everyCall: Call[] = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])

const sha1 = createHash('sha1').update('anything').digest('hex')
/** Role codes have letters only. */
export const letters = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, '').replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)

/** Ids of one tenant's things, one of each kind. */
export type Things = {
  account_kid: string
  user_kid: string
  terminal_kid: string
  group_kid: string
  dynamic_group_kid: string
  custom_field_kid: string
  push_task_kid: string
  file_kid: string
  transfer_kid: string
  export_kid: string
  scrap_kid: string
  upload_kid: string
  qrcode_kid: string
  permanent_kid: string
  apk_kid: string
  log_kid: string
  person_kid: string
  role_kid: string
  sub_account_kid: string
  webhook_kid: string
  delivery_kid: string
  session_kid: string
  api_token_kid: string
  /** A device that waits to be registered. */
  announced: { sn: string; registration_code: string }
}

/** Makes one of everything for a customer and returns the ids. */
export async function makeThings(w: World, customer: number): Promise<Things> {
  const call = w.customers[customer]!
  const { account_kid, root } = w.seed.customers[customer]!
  const device = await w.addDevice({ customer })
  const name = `sweep-${customer}-${device.sn}.txt`
  const group = await call.terminalGroup.insert({ name: `Sweep ${device.sn}`, parent_kid: 'ROOT' })
  const where = { all: [{ field: 'model' as const, op: 'is_one_of' as const, value: ['none'] }] }
  const dynamic = await call.terminalDynamicGroup.insert({ name: `Sweep ${device.sn}`, where })
  const field = await call.customField.insert({ name: `Sweep ${device.sn}`, kind: 'text' })
  const file = await call.fileCloud.insert({ upload_kid: await uploadFile(call, name, Buffer.from('sweep')), name })
  const task = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Sweep', text: 'Sweep' },
    terminal_kids: [device.kid],
  })
  const transfer = await call.terminalFile.download({ terminal_kid: device.kid, path: '/sdcard/logs/scan.log' })
  const qrcode = await call.terminal.qrcode_registered_cache({})
  const gms = await call.terminalQrcode.qrcode_gms_registered({
    component_name: 'com.example.agent/.Admin',
    upload_kid: await uploadFile(call, 'agent.apk', await readFile(realApk)),
  })
  const log = await call.operationLog.paging({})
  const [admin] = await call.role.list({})
  const role = await call.role.insert({
    code: `Sweep${letters(device.sn)}`,
    name: `Sweep ${device.sn}`,
    weight: 5,
    parent_kid: admin!.kid,
    permissions: ['homeIndex'],
  })
  const login = { name: `Sweep ${device.sn}`, password: sha1 }
  const person = await call.userAccount.insert({ ...login, username: `p.${device.sn}`, role_kids: [role.kid] })
  const below = await call.subAccount.insert({ ...login, username: `s.${device.sn}`, terminal_max: 1 })
  const webhook = await call.webhook.insert({
    name: `Sweep ${device.sn}`,
    url: 'https://192.0.2.1/hook',
    events: ['user.deleted'],
    is_enabled: false,
  })
  const ping = await call.webhook.ping({ kid: webhook.kid })
  const token = await call.apiToken.insert({ name: device.sn, permissions: ['deviceList'], expires_in_days: 1 })
  await signedIn(w.url, w.server.deps, root)
  const elsewhere = (await call.account.list_session({})).find((session) => !session.is_current)!
  return {
    account_kid,
    user_kid: root.user_kid,
    terminal_kid: device.kid,
    group_kid: group.kid,
    dynamic_group_kid: dynamic.kid,
    custom_field_kid: field.kid,
    push_task_kid: task.kid,
    file_kid: file.kid,
    transfer_kid: transfer.kid,
    export_kid: await makeExport(call),
    scrap_kid: await makeScrap(w, customer, device.kid),
    upload_kid: await uploadFile(call, `unclaimed-${name}`, Buffer.from('unclaimed')),
    qrcode_kid: qrcode.qrcode_kid,
    permanent_kid: gms.qrcode_kid,
    apk_kid: gms.apk!.kid,
    log_kid: log.items[0]!.kid,
    person_kid: person.kid,
    role_kid: role.kid,
    sub_account_kid: below.kid,
    webhook_kid: webhook.kid,
    delivery_kid: ping.delivery_kid,
    session_kid: elsewhere.kid,
    api_token_kid: token.kid,
    announced: await announce(w.url, `WAITING-${device.sn}`),
  }
}

/** As if everybody had typed their password again just now, so that what lies behind that question is reached. */
export async function confirmPasswords(w: World): Promise<void> {
  const { db, clock } = w.server.deps
  const later = new Date(clock.now().getTime() + 3_600_000)
  await db.updateTable('session').set({ confirmed_at: later }).execute()
}

/** What a device says of itself before anybody knows it. */
export async function announce(url: string, sn: string): Promise<{ sn: string; registration_code: string }> {
  const device = { model: 'm', os_name: 'o', os_version: '1', service_version: '1', protocol_version: 1 }
  const reply = await fetch(`${url}/device/announce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sn, ...device, claim_hash: createHash('sha256').update(sn).digest('hex') }),
  })
  return { sn, registration_code: ((await reply.json()) as { registration_code: string }).registration_code }
}

/**
 * An input that parses, for every call, with the ids of `t`. The compiler cannot ask for it, so `access.test` does: a new
 * call without one fails there.
 */
export const validInputs = (t: Things): Record<string, Record<string, unknown>> => ({
  'login/puzzle': {},
  'login/check_puzzle': {
    puzzle_kid: t.qrcode_kid,
    x: 10,
    track: [
      { x: 0, t: 0 },
      { x: 10, t: 500 },
    ],
  },
  'login/login': { username: 'nobody', password: sha1, puzzle_token: 'none' },
  'login/logout': {},
  'login/session': {},
  'account/info': {},
  'account/save_preferences': { language: 'en' },
  'account/check_inventory': { parent_kid: t.account_kid, src_kid: t.account_kid, num: 1 },
  'login/totp': { totp_token: 'none', totp_code: '123456' },
  'login/options': {},
  'login/exchange': { exchange_token: 'none' },
  'login/confirm_password': { password: sha1 },
  'account/update_info': { name: 'Swept' },
  'account/change_password': { old_password: sha1, new_password: sha1 },
  'account/list_session': {},
  'account/end_session': { kid: t.session_kid },
  'account/end_other_sessions': {},
  'account/totp_begin': {},
  'account/totp_enable': { totp_code: '123456' },
  'account/totp_disable': {},
  'account/oidc_link': { link_token: 'spent' },
  'account/oidc_unlink': {},
  'account/preferences': {},
  'account/save_preference': { key: 'columns.sweep', value: ['sn'] },
  'api_token/list': {},
  'api_token/insert': { name: `New ${Math.random()}`, permissions: ['deviceList'], expires_in_days: 1 },
  'api_token/delete': { kid: t.api_token_kid },
  'sub_account/paging': {},
  'sub_account/get': { kid: t.sub_account_kid },
  'sub_account/list_grantable': {},
  'sub_account/exists': { username: 'nobody', src_kid: t.person_kid },
  'sub_account/insert': { name: `New ${Math.random()}`, username: 'sweep.sub', password: sha1, terminal_max: 1 },
  'sub_account/update': { kid: t.sub_account_kid, name: `Renamed ${Math.random()}`, terminal_max: 1 },
  'sub_account/set_status': { kid: t.sub_account_kid, status: 'normal' },
  'sub_account/delete': { kid: t.sub_account_kid },
  'user_account/paging': { role_kid: t.role_kid },
  'user_account/get': { kid: t.person_kid },
  'user_account/exists': { username: 'nobody', src_kid: t.person_kid },
  'user_account/list_role': {},
  'user_account/inventory': {},
  'user_account/insert': {
    name: 'New',
    username: 'sweep.person',
    password: sha1,
    role_kids: [t.role_kid],
    group_kids: [t.group_kid],
  },
  'user_account/update': { kid: t.person_kid, name: 'Swept', role_kids: [t.role_kid], group_kids: [t.group_kid] },
  'user_account/set_status': { kid: t.person_kid, status: 'normal' },
  'user_account/reset_totp': { kid: t.person_kid },
  'user_account/delete': { kid: t.person_kid },
  'role/list': {},
  'role/get': { kid: t.role_kid },
  'role/list_grantable': {},
  'role/exists': { code: 'nobody', src_kid: t.role_kid },
  'role/insert': { code: 'SweepNew', name: 'Sweep new', weight: 1, parent_kid: t.role_kid },
  'role/update': { kid: t.role_kid, code: 'SweepEdited', name: 'Sweep edited', weight: 2, parent_kid: t.role_kid },
  'role/save_permissions': { kid: t.role_kid, permissions: ['homeIndex'] },
  'role/delete': { kid: t.role_kid },
  'webhook/list': {},
  'webhook/insert': {
    name: `New ${Math.random()}`,
    url: 'https://192.0.2.1/',
    events: ['operation_log'],
    is_enabled: false,
  },
  'webhook/update': {
    kid: t.webhook_kid,
    name: 'Swept',
    url: 'https://192.0.2.1/',
    events: ['operation_log'],
    is_enabled: false,
  },
  'webhook/renew_secret': { kid: t.webhook_kid },
  'webhook/delete': { kid: t.webhook_kid },
  'webhook/ping': { kid: t.webhook_kid },
  'webhook/paging_delivery': { webhook_kid: t.webhook_kid },
  'webhook/redeliver': { kid: t.delivery_kid },
  'list_export/insert': {
    path: 'terminal/paging',
    input: {},
    format: 'csv',
    name: 'sweep',
    zone_id: 'UTC',
    columns: [{ key: 'sn', title: 'SN' }],
  },
  'ops/account/paging': {},
  'ops/account/get': { kid: t.account_kid },
  'ops/account/exists': { username: 'nobody' },
  'ops/account/list_fae': {},
  'ops/account/list_grantable': {},
  'ops/account/insert': { name: `New ${Math.random()}`, username: 'sweep.new', password: sha1, terminal_max: 1 },
  'ops/account/update': { kid: t.log_kid, name: 'Swept', terminal_max: 1 },
  'ops/account/set_status': { kid: t.account_kid, status: 'normal' },
  'ops/account/renew': { kid: t.account_kid, expire_time: null },
  'ops/account/reset_totp': { kid: t.sub_account_kid },
  'ops/account/get_elements': { scope: 'account', scope_kid: t.account_kid },
  'ops/inside_user/paging': {},
  'ops/inside_user/get': { kid: t.log_kid },
  'ops/inside_user/exists': { username: 'nobody' },
  'ops/inside_user/list_role': {},
  'ops/inside_user/insert': { name: 'New', username: 'sweep.inside', password: sha1, role_kids: [t.log_kid] },
  'ops/inside_user/update': { kid: t.log_kid, name: 'Swept', role_kids: [t.log_kid] },
  'ops/inside_user/set_status': { kid: t.log_kid, status: 'normal' },
  'ops/inside_user/reset_totp': { kid: t.log_kid },
  'ops/inside_user/delete': { kid: t.log_kid },
  'ops/role/list': {},
  'ops/role/get': { kid: t.log_kid },
  'ops/role/list_grantable': {},
  'ops/role/exists': { code: 'nobody' },
  'ops/role/insert': { code: 'SweepOps', name: 'Sweep ops', weight: 1, parent_kid: t.log_kid },
  'ops/role/update': { kid: t.log_kid, code: 'SweepOps', name: 'Sweep ops', weight: 1, parent_kid: t.log_kid },
  'ops/role/save_permissions': { kid: t.log_kid, permissions: ['homeIndex'] },
  'ops/role/delete': { kid: t.log_kid },
  'ops/file_disk/get': { account_kid_param: t.account_kid },
  'ops/file_disk/update_space': { kid: t.log_kid, account_kid_param: t.account_kid, disk_space: 1_000_000_000 },
  'ops/app_center/get': { account_kid_param: t.account_kid },
  'ops/app_center/update_space': { kid: t.log_kid, account_kid_param: t.account_kid, disk_space: 1_000_000_000 },
  'ops/content_report/paging': {},
  'ops/content_report/total': {},
  'ops/terminal/paging': { text: 'sweep' },
  'ops/home/overview': {},
  'ops/menu_tree/list': {},
  'ops/menu_tree/get': { kid: t.log_kid },
  'ops/menu_tree/exists': { code: 'sweep' },
  'ops/menu_tree/insert': {
    code: `sweep${Math.random()}`.replace('.', ''),
    name: { en: 'Sweep', vi: 'Sweep', 'zh-cn': 'Sweep' },
    type: 'page',
    end_type: 2,
  },
  'ops/menu_tree/update': {
    kid: t.log_kid,
    code: 'swept',
    name: { en: 'Sweep', vi: 'Sweep', 'zh-cn': 'Sweep' },
    type: 'page',
    end_type: 2,
  },
  'ops/menu_tree/move': { kid: t.log_kid, target_parent_kid: 'ROOT' },
  'ops/menu_tree/delete': { kid: t.log_kid },
  'ops/webhook/list': {},
  'ops/webhook/insert': {
    name: `New ${Math.random()}`,
    url: 'https://192.0.2.1/',
    events: ['account.created'],
    is_enabled: false,
  },
  'ops/webhook/update': {
    kid: t.log_kid,
    name: 'Swept',
    url: 'https://192.0.2.1/',
    events: ['account.created'],
    is_enabled: false,
  },
  'ops/webhook/renew_secret': { kid: t.log_kid },
  'ops/webhook/delete': { kid: t.log_kid },
  'ops/webhook/ping': { kid: t.log_kid },
  'ops/webhook/paging_delivery': { webhook_kid: t.log_kid },
  'ops/webhook/redeliver': { kid: t.log_kid },
  'ops/account/enter': { kid: t.account_kid },
  'ops/account/leave': {},
  'menu_tree/list': { p_id: 'ROOT' },
  'terminal/paging': {
    terminal_group_kid: t.group_kid,
    where: {
      all: [
        { field: 'terminal_group_kid', op: 'is_within', value: [t.group_kid] },
        { any: [{ field: 'custom_field', custom_field_kid: t.custom_field_kid, op: 'is', value: 'x' }] },
      ],
    },
    terminal_dynamic_group_kid: t.dynamic_group_kid,
  },
  'terminal/count': { match: { text: 'sweep' } },
  'terminal/list_tag': {},
  'terminal/update_fields': {
    terminal_kids: [t.terminal_kid],
    fields: { [t.custom_field_kid]: 'Swept' },
    tags: { add: ['swept'] },
  },
  'custom_field/list': {},
  'custom_field/insert': { name: `New ${Math.random()}`, kind: 'choice', choices: ['A', 'B'] },
  'custom_field/update': { kid: t.custom_field_kid, name: `Renamed ${Math.random()}`, kind: 'text' },
  'custom_field/move': { kid: t.custom_field_kid, position: 0 },
  'custom_field/delete': { kid: t.custom_field_kid },
  'terminal_dynamic_group/list': { with_counts: true },
  'terminal_dynamic_group/insert': {
    name: `New ${Math.random()}`,
    where: { any: [{ field: 'is_online', op: 'is', value: true }] },
  },
  'terminal_dynamic_group/update': {
    kid: t.dynamic_group_kid,
    name: `Renamed ${Math.random()}`,
    where: { any: [{ field: 'sn', op: 'contains', value: 'sweep' }] },
  },
  'terminal_dynamic_group/delete': { kid: t.dynamic_group_kid },
  'terminal/facets': {},
  'terminal/list_low_storage': {},
  'terminal/list_quarantined': {},
  'terminal/list_online': {},
  'terminal/get': { kid: t.terminal_kid },
  'terminal/paging_event': { terminal_kid: t.terminal_kid },
  'terminal/list_refusal': { terminal_kid: t.terminal_kid },
  'terminal/list_run': { terminal_kid: t.terminal_kid },
  'terminal/manual_registered': { ...t.announced, terminal_group_kid: t.group_kid },
  'terminal/qrcode_registered_cache': { terminal_group_kid: t.group_kid },
  'terminal/get_scan_result': { qrcode_kid: t.qrcode_kid },
  'terminal/qrcode_forever_registered': { terminal_group_kid: t.group_kid },
  'terminal/qrcode_gms_registered': {
    component_name: 'com.example.agent/.Admin',
    apk_kid: t.apk_kid,
    qrcode_kid: t.permanent_kid,
    wifi: { ssid: 'Sweep', password: 'swept-clean' },
    admin_extras: { site: 'sweep' },
  },
  'terminal_qrcode/paging': { terminal_group_kid: t.group_kid },
  'terminal_qrcode/get': { kid: t.permanent_kid },
  'terminal_qrcode/revoke': { kid: t.permanent_kid },
  'terminal_qrcode/list_apk': {},
  'terminal_qrcode/delete_apk': { kid: t.apk_kid },
  ...batchInputs(t),
  ...locationInputs(t),
  ...lifeInputs(t),
  ...exportInputs(t),
  ...telemetryInputs(t),
  'terminal/update': { kid: t.terminal_kid, name: 'Swept' },
  'terminal/move_group_batch': { terminal_kids: [t.terminal_kid], terminal_group_kid: t.group_kid },
  'terminal/renew_secret': { kid: t.terminal_kid },
  'terminal/batch_cancel': { terminalKids: [t.terminal_kid], confirm: 'DELETE' },
  'terminal_group/list': { parent_kid: t.group_kid },
  'terminal_group/list_with_child': { parent_kid: t.group_kid },
  'terminal_group/get': { kid: t.group_kid },
  'terminal_group/exists': { name: 'x', parent_kid: t.group_kid, src_kid: t.group_kid },
  'terminal_group/insert': { name: `New ${Math.random()}`, parent_kid: t.group_kid },
  'terminal_group/update': { kid: t.group_kid, name: `Renamed ${Math.random()}` },
  'terminal_group/move': { kid: t.group_kid, target_parent_kid: 'ROOT' },
  'terminal_group/delete': { kid: t.group_kid },
  'terminal_group_user_manged/list_group_kid': { user_kid: t.user_kid },
  'push_task/paging': {},
  'push_task/get': { kid: t.push_task_kid },
  'push_task/paging_terminal': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
  'push_task/list_activity': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
  'push_task/insert': {
    type: 'file',
    payload: { file_kids: [t.file_kid], path: '/sdcard' },
    terminal_kids: [t.terminal_kid],
  },
  'push_task/cancel': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
  'push_task/retry': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
  'terminal_file/list': { terminal_kid: t.terminal_kid, path: '/sdcard' },
  'terminal_file/make_folder': { terminal_kid: t.terminal_kid, path: '/sdcard', name: 'Swept' },
  'terminal_file/rename': { terminal_kid: t.terminal_kid, path: '/sdcard/Music', name: 'Songs' },
  'terminal_file/delete': { terminal_kid: t.terminal_kid, path: '/sdcard/DCIM' },
  'terminal_file/download': { terminal_kid: t.terminal_kid, path: '/sdcard/logs/scan.log' },
  'terminal_file/upload': {
    terminal_kid: t.terminal_kid,
    path: '/sdcard',
    name: 'swept.txt',
    upload_kid: t.upload_kid,
  },
  'terminal_file/paging': { terminal_kid: t.terminal_kid },
  'terminal_file/cancel': { kid: t.transfer_kid },
  'terminal_app/list': { terminal_kid: t.terminal_kid },
  'terminal_app/uninstall': { terminal_kid: t.terminal_kid, package: 'com.example.scan' },
  'terminal_app/set_permission': {
    terminal_kid: t.terminal_kid,
    package: 'com.example.scan',
    permission: 'camera',
    state: 'deny',
  },
  'terminal_log/ask': { terminal_kid: t.terminal_kid },
  'terminal_log/paging': { terminal_kid: t.terminal_kid },
  'file_cloud/paging': {},
  'file_cloud/insert': { upload_kid: t.upload_kid, name: 'taken.txt' },
  'file_cloud/delete': { kid: t.file_kid },
  'operation_log/paging': { operator_kid: t.user_kid },
  'operation_log/list_operator': { text: 'a' },
  'ops/operation_log/list_operator': { text: 'a' },
  'operation_log/get': { kid: t.log_kid },
  'ops/operation_log/paging': {},
  'ops/operation_log/get': { kid: t.log_kid },
  'ops/client_code/paging': {},
  'ops/client_code/get': { kid: t.log_kid },
  'ops/client_code/exists': { code: 'AB123' },
  'ops/client_code/insert': { code: 'AB123', name: 'Sweep' },
  'ops/client_code/update': { kid: t.log_kid, code: 'AB124', name: 'Sweep 2' },
  'ops/client_code/delete': { kid: t.log_kid },
})

/** Every place in an input, as a path: fields, and what is in them. */
export const pathsIn = (value: unknown, path: (string | number)[] = []): (string | number)[][] => {
  const entries = value && typeof value === 'object' ? Object.entries(value) : []
  const inner = entries.flatMap(([key, part]) => pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key]))
  return path.length > 0 ? [path, ...inner] : inner
}

/** A copy of `value` with something else at `path`. */
export function replaced(value: unknown, path: (string | number)[], other: unknown): unknown {
  const copy = structuredClone(value) as Record<string | number, unknown>
  let at = copy
  for (const step of path.slice(0, -1)) at = at[step] as typeof at
  at[path.at(-1)!] = other
  return copy
}
