export { acknowledge, get, listByTerminal, listOpen, paging, pagingTerminal, resolve } from './alerts.ts'
export { alertActions } from './actions.ts'
export { judgeRules } from './judge-rules.ts'
export {
  checkMail,
  insert,
  isLocking,
  paging as pagingRules,
  preview,
  remove,
  silence,
  update,
  willBeLocking,
} from './rules.ts'
export { changedRules, dropOldAlerts } from './alert-worker.ts'
