import { expect, test } from 'vitest'
import { contract } from './calls.ts'
import type { Call } from './kit.ts'
import { permissions } from './permissions.ts'

const calls = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])
const pathsOf = (are: (call: Call) => unknown) => calls.filter(are).map(({ path }) => path)

test('a call whose input names an upload says that it keeps uploads, and no other does', () => {
  const naming = ({ input }: Call) =>
    Object.keys((input as { shape?: object }).shape ?? {}).some((name) => /upload_kids?$/.test(name))
  expect(pathsOf(({ keeps_uploads }) => keeps_uploads).sort()).toEqual(pathsOf(naming).sort())
})

test('the groups of the provider are those whose names begin with ops/', () => {
  expect(pathsOf(({ scope }) => scope === 'ops')).toEqual(pathsOf(({ group: name }) => name.startsWith('ops/')))
})

test('what needs no session, and what needs no permission, is listed by hand', () => {
  expect(pathsOf(({ needs }) => needs === 'public').sort()).toEqual([
    'activation/report',
    'login/check_puzzle',
    'login/exchange',
    'login/forgot_password',
    'login/login',
    'login/options',
    'login/passkey',
    'login/passkey_begin',
    'login/puzzle',
    'login/read_link',
    'login/set_password',
    'login/totp',
  ])
  expect(pathsOf(({ needs, needs_for }) => needs === 'signed_in' && !needs_for).sort()).toEqual([
    'account/change_password',
    'account/check_inventory',
    'account/end_other_sessions',
    'account/end_session',
    'account/info',
    'account/list_passkey',
    'account/list_session',
    'account/oidc_link',
    'account/oidc_unlink',
    'account/passkey_add',
    'account/passkey_begin',
    'account/passkey_remove',
    'account/preferences',
    'account/save_preference',
    'account/save_preferences',
    'account/totp_begin',
    'account/totp_disable',
    'account/totp_enable',
    'account/update_info',
    'api_token/delete',
    'api_token/insert',
    'api_token/list',
    'get/current',
    'get/current_config',
    'list_export/insert',
    'list_report/delete',
    'list_report/insert',
    'list_report/list',
    'list_report/send_now',
    'list_report/update',
    'login/confirm_passkey',
    'login/confirm_passkey_begin',
    'login/confirm_password',
    'login/logout',
    'login/session',
    'menu_tree/list',
    'ops/account/leave',
    'push_task/get_preview',
    'push_task/paging_preview',
    'terminal_location/tiles',
  ])
})

test('the permissions that no call names are those of what a push or a configuration does, and of pages alone', () => {
  const named = new Set(calls.flatMap(({ needs }) => needs))
  expect(permissions.filter((name) => !named.has(name)).toSorted()).toEqual([
    'appCenterPush',
    'appCenterPush:push',
    'appCenterPush:uninstall',
    'configureFilePush',
    'configureFilePush:push',
    'deviceDetailFsCapture',
    'deviceDetailFsCapture:capture',
    'deviceDetailInfo:find',
    'deviceDetailInfo:lock',
    'deviceDetailInfo:remoteLog',
    'deviceDetailInfo:restart',
    'deviceDetailInfo:shutdown',
    'deviceDetailPushMessage',
    'deviceDetailPushMessage:push',
    'electronicFenceList:group',
    'fileCloudPush',
    'fileCloudPush:push',
    'privatizationConfig',
  ])
})

test('the writes that leave no row in the operation log are listed by hand', () => {
  const unlogged = (how: Call['is_unlogged']) => pathsOf(({ is_unlogged }) => is_unlogged === how).sort()
  expect(unlogged(true)).toEqual(['account/save_preference', 'push_task/preview'])
  expect(unlogged('unless_refused')).toEqual(['activation/report', 'login/confirm_passkey', 'login/confirm_password'])
})

test('what goes on when the disk is full is listed by hand', () => {
  expect(pathsOf(({ works_on_full_disk }) => works_on_full_disk).sort()).toEqual([
    'account/end_other_sessions',
    'account/end_session',
    'account/passkey_remove',
    'alert_rule/delete',
    'api_token/delete',
    'app_center/delete',
    'app_center/delete_category',
    'app_center/delete_version',
    'app_center/delist',
    'app_requirement/delete',
    'clear_renewal',
    'config_file/delete',
    'config_profile/delete',
    'config_profile/remove_use',
    'custom_field/delete',
    'electronic_fence/delete',
    'file_cloud/batch_delete',
    'file_cloud/delete',
    'istage_config/delete',
    'istage_template/delete',
    'list_report/delete',
    'login/confirm_passkey',
    'login/confirm_password',
    'login/exchange',
    'login/login',
    'login/logout',
    'login/passkey',
    'login/totp',
    'maintenance_window/delete',
    'ops/account/enter',
    'ops/account/leave',
    'ops/activation/eliminate',
    'ops/client_code/delete',
    'ops/extended/delete',
    'ops/hardware/delete',
    'ops/inside_user/delete',
    'ops/istage_template/delete',
    'ops/language/delete',
    'ops/menu_tree/delete',
    'ops/operation_task/cancel',
    'ops/os_version/delete',
    'ops/os_version/delete_package',
    'ops/os_version/discard_step',
    'ops/os_version/take_offline',
    'ops/oscs_base/delete',
    'ops/oscs_model/delete',
    'ops/platform_apk/delete',
    'ops/platform_apk/delete_category',
    'ops/platform_apk/delete_version',
    'ops/platform_apk/delist',
    'ops/platform_file/batch_delete',
    'ops/platform_file/delete',
    'ops/policy/cancel_import',
    'ops/policy/delete',
    'ops/policy/delete_terminal',
    'ops/ram_memory/delete',
    'ops/role/delete',
    'ops/rom_memory/delete',
    'ops/screen/delete',
    'ops/solution/delete',
    'ops/terminal/cancel_batch_registered',
    'ops/uid/delete',
    'ops/webhook/delete',
    'os_custom/abandon',
    'os_custom/cancel_build',
    'os_custom/delete',
    'os_custom/delete_build',
    'os_custom/take_offline',
    'push_schedule/delete',
    'push_task/cancel',
    'push_task/reject',
    'push_template/delete',
    'role/delete',
    'sub_account/delete',
    'terminal/batch_cancel',
    'terminal/batch_scrap',
    'terminal/cancel_batch_registered',
    'terminal/cancel_export_schedule',
    'terminal/cancel_scrap_schedule',
    'terminal/reject_waiting',
    'terminal_config/abort',
    'terminal_dynamic_group/delete',
    'terminal_file/cancel',
    'terminal_file/delete',
    'terminal_group/delete',
    'terminal_lost/found',
    'terminal_lost/stop_ring',
    'terminal_qrcode/delete_apk',
    'terminal_qrcode/revoke',
    'terminal_remote/delete_recording',
    'terminal_remote/end',
    'user_account/delete',
    'webhook/delete',
  ])
})
