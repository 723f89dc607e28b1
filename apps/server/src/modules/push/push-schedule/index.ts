export { nextRuns } from './cron.ts'
export { putSchedulesRight, runSchedules } from './run.ts'
export { insert, list, remove, update } from './service.ts'
