export { acknowledge, listOpen, paging, pagingTerminal, resolve } from './alerts.ts'
export { judgeRules } from './judge.ts'
export { insert, paging as pagingRules, preview, remove, silence, update } from './rules.ts'
export { dropOldAlerts, wakeRules, watchAlerts } from './work.ts'
