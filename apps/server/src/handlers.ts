import type { GroupKey } from '@mdm/contract'
import type { Handlers } from './http/context.ts'
import type { AllHandlers } from './http/mount.ts'
import { accountCalls, opsAccountCalls } from './modules/account/calls.ts'
import { clientCodeCalls } from './modules/client-code/calls.ts'
import { fileCloudCalls } from './modules/file-cloud/calls.ts'
import { loginCalls } from './modules/login/calls.ts'
import { menuTreeCalls } from './modules/menu-tree/calls.ts'
import { operationLogCalls, opsOperationLogCalls } from './modules/operation-log/calls.ts'
import { pushTaskCalls } from './modules/push-task/calls.ts'
import { terminalGroupCalls, terminalGroupUserManagedCalls } from './modules/terminal-group/calls.ts'
import { terminalCalls } from './modules/terminal/calls.ts'

/** Who answers what. A group of the contract without its handlers does not compile. */
const typed: { [G in GroupKey]: Handlers<G> } = {
  login: loginCalls,
  account: accountCalls,
  opsAccount: opsAccountCalls,
  menuTree: menuTreeCalls,
  terminal: terminalCalls,
  terminalGroup: terminalGroupCalls,
  terminalGroupUserManaged: terminalGroupUserManagedCalls,
  pushTask: pushTaskCalls,
  fileCloud: fileCloudCalls,
  operationLog: operationLogCalls,
  opsOperationLog: opsOperationLogCalls,
  opsClientCode: clientCodeCalls,
}
/** `mount` pairs each handler with its own row, whose types it can no longer see. */
export const handlers = typed as unknown as AllHandlers
