export { listReports } from './report-worker.ts'
export { insert, list, remove, sendNow, update } from './service.ts'
