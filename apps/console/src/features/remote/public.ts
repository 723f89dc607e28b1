export type { RemoteConnection } from './live/connection.ts'
export { isOver } from './live/status.ts'
export { connectionOf } from './live/use-connection.ts'
