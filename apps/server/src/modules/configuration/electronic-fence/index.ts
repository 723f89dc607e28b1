export {
  current,
  hitByPlaces,
  hitByRemoval,
  hitByReset,
  hitByUpdate,
  listPlaces,
  resetPlaces,
  savePlaces,
} from './fence-places.ts'
export { pagingEvent } from './history.ts'
export { findPlace } from './find-place.ts'
export { fenceActions } from './actions.ts'
export { fencesDue, publishFences, settleFences } from './fence-worker.ts'
export { judgeHeard } from './judge-position.ts'
export type { Heard, Outcome as FenceOutcome } from './judge-position.ts'
export { fenceForDevice, fencesOf, openFence } from './effective.ts'
export type { FenceInForce, SealedFence } from './effective.ts'
export { get, insert, paging, remove, update } from './service.ts'
