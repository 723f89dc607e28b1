export { get, inspect, insert, listUids, paging, remove, update } from './authorisations.ts'
export { apiListsOf } from './lists.ts'
export { pagingRefused } from './refused.ts'
