export { dropOldBuilds } from './builds/upkeep.ts'
export { osBuilds } from './builds/wake.ts'
