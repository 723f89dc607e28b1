export type { RemoteConnection } from './live/connection.ts'
export { connectionOf } from './live/use-connection.ts'
