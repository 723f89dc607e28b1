export { brake, brakeNow, no_hit } from './brake.ts'
export type { Hit } from './brake.ts'
export { asksApproval, assertHourly, hourlyLeft, startOf } from './caps.ts'
export { getSetting, saveSetting } from './setting.ts'
