export { actingFor, pushFor, stillThere } from './insert/automatic.ts'
export { cancel, cancelAll, retry } from './moves/control.ts'
export { endRows, failOverdue, failTasksOfDevices, failTooLarge } from './moves/ends.ts'
export type { Ended } from './moves/ends.ts'
export { insertFound } from './insert/creation.ts'
export type { FoundPush } from './insert/creation.ts'
export type { Moves } from './moves/moves.ts'
export { insert } from './insert/insert.ts'
export { move, planned, update } from './insert/planned.ts'
export {
  detail,
  factsOfTask,
  get,
  listActivity,
  listCreators,
  paging,
  pagingLeftOut,
  pagingPreview,
  pagingTerminal,
  shownPayload,
} from './read.ts'
export { approve, cancelPhase, pause, reject, resume } from './moves/phases.ts'
export { preview, previewOf } from './insert/preview.ts'
export { splitByEligibility } from './insert/device-list.ts'
export { loadOutgoing, encodeOutgoing } from './background/outgoing.ts'
export type { Due } from './background/outgoing.ts'
export { applyReports } from './moves/reports.ts'
export { pushLists, takeLater, wakePushes } from './insert/freezing.ts'
export { pushes, tellMoves } from './background/phase-worker.ts'
export { dropOld } from './background/retention.ts'
export { kindOf, otherwiseDelivered, provideKind } from './kinds/kinds.ts'
export type { Kind, Stopping, Stored } from './kinds/kind.ts'
export { lockRows, openStates } from './rows.ts'
