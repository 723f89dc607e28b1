export { assertMayStill, pushFor } from './automatic.ts'
export type { OrderedBy } from './automatic.ts'
export { cancel, failOverdue, retry } from './control.ts'
export { failTasksOfDevices } from './gone.ts'
export { insert } from './insert.ts'
export type { Pusher } from './insert.ts'
export {
  detail,
  get,
  listActivity,
  listCreators,
  paging,
  pagingLeftOut,
  pagingPreview,
  pagingTerminal,
  shownPayload,
} from './read.ts'
export { approve, pause, reject, resume } from './phases.ts'
export { preview } from './preview.ts'
export { sortOut } from './device-list.ts'
export { getSetting, saveSetting } from './setting.ts'
export { gatherParcels, writeParcels } from './parcels.ts'
export type { Due } from './parcels.ts'
export { applyReports } from './reports.ts'
export { takeLater, tellMoves, wakePushes } from './work.ts'
export { dropOld } from './retention.ts'
export { kindOf } from './kinds/kinds.ts'
export { lockRows, openStates } from './rows.ts'
export { creatorsReach } from './creator.ts'
