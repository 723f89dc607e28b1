export { comparesVersion, keepInstalled, keepSaid } from './service.ts'
export type { InstalledApps } from './service.ts'
