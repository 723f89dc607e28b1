export { hoursOf, readWindow, windowOf } from './service.ts'
export type { Hours } from './service.ts'
