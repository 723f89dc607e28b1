import { account, opsAccount } from './calls/account.ts'
import { opsClientCode } from './calls/client_code.ts'
import { fileCloud } from './calls/file_cloud.ts'
import { login } from './calls/login.ts'
import { menuTree } from './calls/menu_tree.ts'
import { operationLog, opsOperationLog } from './calls/operation_log.ts'
import { pushTask } from './calls/push_task.ts'
import { terminal } from './calls/terminal.ts'
import { terminalGroup, terminalGroupUserManaged } from './calls/terminal_group.ts'

/** The whole contract. The key is the name by which code refers to a group; its wire path is in the rows. */
export const contract = {
  login,
  account,
  opsAccount,
  menuTree,
  terminal,
  terminalGroup,
  terminalGroupUserManaged,
  pushTask,
  fileCloud,
  operationLog,
  opsOperationLog,
  opsClientCode,
} as const
export type Contract = typeof contract
export type GroupKey = keyof Contract
export type CallKey<G extends GroupKey> = keyof Contract[G]['calls'] & string
