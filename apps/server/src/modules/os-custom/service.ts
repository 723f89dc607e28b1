export { dropOldBuilds } from './builds/upkeep.ts'
export { wakeBuilds } from './builds/wake.ts'
