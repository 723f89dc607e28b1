export { acknowledge, get, listByTerminal, listOpen, paging, pagingTerminal, resolve } from './alerts.ts'
export { judgeRules } from './judge.ts'
export {
  checkMail,
  hitBy,
  hitByUpdate,
  insert,
  paging as pagingRules,
  preview,
  remove,
  silence,
  update,
} from './rules.ts'
export { dropOldAlerts, watchAlerts } from './work.ts'
