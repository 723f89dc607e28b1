export { cancel, fileOf, keepExports, recent, shown, start } from './export-jobs.ts'
export { deviceExports } from './export-worker.ts'
export { exportOperations } from './operations.ts'
