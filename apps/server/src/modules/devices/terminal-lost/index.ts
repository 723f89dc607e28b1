export { collectedWhileLost, found, lostOf, start, stopRing, wipe } from './service.ts'
export { stateOf } from './state.ts'
