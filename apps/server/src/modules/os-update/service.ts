export { available, availableTo, leftOutOf, manifestIn, standingOf } from './audience.ts'
export type { Available } from './audience.ts'
export { believedKeys, keyChanges, listKeys, rotate, signer } from './keys.ts'
