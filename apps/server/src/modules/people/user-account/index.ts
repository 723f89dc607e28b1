export { get, paging } from './people.ts'
export type { Manager } from './people.ts'
export { insert, inventory, inviteAgainTo, listRole, remove, resetTotp, setStatus, taken, update } from './service.ts'
export type { Draft } from './service.ts'
