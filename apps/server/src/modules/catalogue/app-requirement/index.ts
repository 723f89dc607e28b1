export { requiredAnew, requiredApps } from './run.ts'
