/**
 * Every permission. A screen's is the camelCase of its path, a button's is `<screen>:<action>`. Roles hold these
 * names or patterns with `*`. The contract's `needs` and the console's `screen()` accept nothing else.
 */
export const permissions = [
  'homeIndex',
  'deviceList',
  'deviceList:register',
  'deviceList:edit',
  'deviceList:move',
  'deviceList:cancel',
  'deviceList:group',
  'deviceDetailInfo',
  'deviceDetailInfo:lock',
  'deviceDetailInfo:find',
  'deviceDetailInfo:restart',
  'deviceDetailTask',
  'deviceDetailTask:cancel',
  'deviceDetailTask:retry',
  'deviceDetailPushMessage',
  'deviceDetailPushMessage:push',
  'deviceDetailRun',
  'deviceDetailEvent',
  'deviceDetailFsCapture',
  'deviceDetailFsCapture:capture',
  'fileCloudList',
  'fileCloudList:upload',
  'fileCloudList:delete',
  'fileCloudPush',
  'fileCloudPush:push',
  'operationLogList',
  'externalUserManageList',
  'externalUserManageList:enter',
  'opsOperationLogList',
  'informationListClientCode',
  'clientCodeAdd',
  'clientCodeEdit',
  'informationListClientCode:delete',
] as const
export type Permission = (typeof permissions)[number]

/** Whether one of the held names or patterns (`*` matches anything) covers `wanted`. */
export const holds = (held: readonly string[], wanted: string): boolean =>
  held.some((pattern) => covers(pattern, wanted))

/**
 * Whether a pattern covers a name. Its literal parts are looked for one after the other, so no pattern that somebody
 * writes into a role can take longer than its own length times the name's, as a regular expression could.
 */
function covers(pattern: string, name: string): boolean {
  const [first, ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first!) || name.length < first!.length + last.length || !name.endsWith(last)) return false
  const end = name.length - last.length
  let from = first!.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}
