export { batteryCurve } from './battery.ts'
export { onlineCurve } from './online.ts'
export { listUsage } from './usage.ts'
