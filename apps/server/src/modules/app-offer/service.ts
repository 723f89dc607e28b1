export { appsToPush } from './to-push.ts'
export type { PushedApp } from './to-push.ts'
export { inheritedFrom, visible } from './visible.ts'
