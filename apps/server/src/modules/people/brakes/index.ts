export { brake } from './brake.ts'
export type { Hit } from './brake.ts'
export { getSetting, saveSetting } from './setting.ts'
