export { requiredAnew, requiredApps } from './requirement-run.ts'
