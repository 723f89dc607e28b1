export { actsOnAlert } from './acts.ts'
export type { ActOnAlert } from './acts.ts'
