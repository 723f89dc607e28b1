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
export function holds(held: readonly string[], wanted: string): boolean {
  return held.some((pattern) => pattern === wanted || (pattern.includes('*') && matcher(pattern).test(wanted)))
}

const matchers = new Map<string, RegExp>()
function matcher(pattern: string): RegExp {
  let found = matchers.get(pattern)
  if (!found) {
    if (matchers.size > 1000) matchers.clear()
    // Collapsing runs of `*` keeps a hostile pattern linear.
    found = new RegExp(
      `^${pattern
        .replace(/\*+/g, '*')
        .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')}$`,
    )
    matchers.set(pattern, found)
  }
  return found
}
