export { cancel, fileOf, keepExports, recent, shown, start } from './jobs.ts'
export { wakeExports } from './work.ts'
