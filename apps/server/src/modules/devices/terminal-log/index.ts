export { pagingTransfers } from '../terminal-file/index.ts'
export { ask } from './service.ts'
