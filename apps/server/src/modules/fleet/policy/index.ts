export { pagingTerminal, removeTerminals } from './terminals.ts'
export { assertThere, exists, insert, paging, remove, update } from './service.ts'
