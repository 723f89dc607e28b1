import { createHash } from 'node:crypto'
import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import type { World } from '../world.ts'
import { uploadFile } from '../upload.ts'

export const everyCall: Call[] = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])

/** Ids of one tenant's things, one of each kind. */
export type Things = {
  account_kid: string
  user_kid: string
  terminal_kid: string
  group_kid: string
  push_task_kid: string
  file_kid: string
  upload_kid: string
  qrcode_kid: string
  log_kid: string
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
  const file = await call.fileCloud.insert({ upload_kid: await uploadFile(call, name, Buffer.from('sweep')), name })
  const task = await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Sweep', text: 'Sweep' },
    terminal_kids: [device.kid],
  })
  const qrcode = await call.terminal.qrcode_registered_cache({})
  const log = await call.operationLog.paging({})
  return {
    account_kid,
    user_kid: root.user_kid,
    terminal_kid: device.kid,
    group_kid: group.kid,
    push_task_kid: task.kid,
    file_kid: file.kid,
    upload_kid: await uploadFile(call, `unclaimed-${name}`, Buffer.from('unclaimed')),
    qrcode_kid: qrcode.qrcode_kid,
    log_kid: log.items[0]!.kid,
    announced: await announce(w.url, `WAITING-${device.sn}`),
  }
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

const sha1 = createHash('sha1').update('anything').digest('hex')

/**
 * An input that parses, for every call, with the ids of `t`. The compiler cannot ask for it, so `inputs.test` does: a new
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
  'ops/account/paging': {},
  'ops/account/enter': { kid: t.account_kid },
  'ops/account/leave': {},
  'menu_tree/list': { p_id: 'ROOT' },
  'terminal/paging': { terminal_group_kid: t.group_kid },
  'terminal/facets': {},
  'terminal/get': { kid: t.terminal_kid },
  'terminal/paging_event': { terminal_kid: t.terminal_kid },
  'terminal/list_run': { terminal_kid: t.terminal_kid },
  'terminal/manual_registered': { ...t.announced, terminal_group_kid: t.group_kid },
  'terminal/qrcode_registered_cache': { terminal_group_kid: t.group_kid },
  'terminal/get_scan_result': { qrcode_kid: t.qrcode_kid },
  'terminal/update': { kid: t.terminal_kid, name: 'Swept' },
  'terminal/move_group_batch': { terminal_kids: [t.terminal_kid], terminal_group_kid: t.group_kid },
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
  'file_cloud/paging': {},
  'file_cloud/insert': { upload_kid: t.upload_kid, name: 'taken.txt' },
  'file_cloud/delete': { kid: t.file_kid },
  'operation_log/paging': {},
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

/** Every place in an input where a UUID stands, as a path. */
export function kidPaths(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value === 'string') return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(value) ? [path] : []
  if (Array.isArray(value)) return value.flatMap((v, i) => kidPaths(v, [...path, i]))
  if (value && typeof value === 'object') return Object.entries(value).flatMap(([k, v]) => kidPaths(v, [...path, k]))
  return []
}

/** A copy of `value` with something else at `path`. */
export function replaced(value: unknown, path: (string | number)[], other: unknown): unknown {
  const copy = structuredClone(value) as Record<string | number, unknown>
  let at = copy
  for (const step of path.slice(0, -1)) at = at[step] as typeof at
  at[path.at(-1)!] = other
  return copy
}
export const valueAt = (value: unknown, path: (string | number)[]): unknown =>
  path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value)
