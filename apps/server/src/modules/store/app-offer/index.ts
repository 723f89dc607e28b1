export { appsToPush } from './to-push.ts'
export type { PushedApp } from './to-push.ts'
export { inheritedFrom, versionCodeOf, visible } from './visible.ts'
