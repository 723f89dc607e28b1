export { get, paging } from './customer-list.ts'
export {
  addAccount,
  adminPermissions,
  assertGrantable,
  assertPlaces,
  assertShare,
  changeAccount,
  changing,
  inviteAgain,
} from './accounts.ts'
export { lockFamily, passwordHash, permissionsOf, rootLogin, setStatus as setAccountStatus } from './accounts.ts'
export { shownState } from './accounts.ts'
export {
  assertCustomer,
  enter,
  getElements,
  insert,
  leave,
  listFae,
  renew,
  resetTotp,
  setStatus,
  update,
} from './service.ts'
