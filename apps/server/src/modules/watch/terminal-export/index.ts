export { cancel, fileOf, keepExports, recent, shown, start } from './jobs.ts'
export { deviceExports } from './work.ts'
