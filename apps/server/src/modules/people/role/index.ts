export { adminRoleOf, authorityOf, granterOf, isAdmin, refuseFor, whyNotAbove, whyNotAssign } from './authority.ts'
export type { Authority, Granter, RoleRow, Why } from './authority.ts'
export { limitAccountTo } from './ceiling.ts'
export { exists, get, insert, list, listGrantable, remove, savePermissions, update } from './service.ts'
