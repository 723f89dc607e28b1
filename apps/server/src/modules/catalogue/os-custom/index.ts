export { dropOldBuilds } from './builds/upkeep.ts'
export { buildOperations } from './builds/operations.ts'
export { osBuilds } from './builds/wake.ts'
