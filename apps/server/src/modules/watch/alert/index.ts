export { get, listByTerminal, listOpen, paging, pagingTerminal } from './alerts.ts'
export { acknowledge, assign, resolve, resolveAll, updateNote } from './handling.ts'
export { listHistory } from './history.ts'
export { getOrigin } from './origin.ts'
export { listAssignees } from './people.ts'
export { alertActions } from './actions.ts'
export { hasSettled, judgeRules } from './judge-rules.ts'
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
