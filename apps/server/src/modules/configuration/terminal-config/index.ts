export { isEqual } from '@mdm/contract/config/equal.ts'
export { countDevices, devicesWhere, whichever } from './affected.ts'
export { resolvePlace, writable, writePlace } from './config-places.ts'
export type { Place, WritePlace } from './config-places.ts'
export { current } from './current.ts'
export {
  configurationQueue,
  markDevices,
  markNextPiece,
  markThese,
  piece,
  publishChange,
  queueDelivery,
} from './delivery-queue.ts'
export { certificatesExpire } from './expiring.ts'
export { hitByGroupMove, takesHold, hitByGroupRemoval, hitByMove, inheritsFence } from './hit.ts'
export { configForDevice, groupPath, levelsOf, platformRows, settingsOf } from './levels.ts'
export { renewWindow } from './renew-window.ts'
export { profilesFor, usedBy } from './profile-uses.ts'
export { endConfirmed, stagedValuesOf, withStaged } from './staged-change.ts'
export { areRolesSet, withUploadRoles } from './upload-roles.ts'
export { dropSettings, queueWhereSet, writeSetting } from './write.ts'
