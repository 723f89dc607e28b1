export { nextRuns } from './cron.ts'
export { putSchedulesRight, runSchedules } from './run-schedules.ts'
export { insert, list, remove, update } from './service.ts'
