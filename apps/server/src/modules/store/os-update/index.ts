export { available, availableTo, leftOutOf, manifestIn, standingOf } from './audience.ts'
export type { Available } from './audience.ts'
export { believedKeys, keyChanges, keyStatement, listKeys, registerKey, rotate, signer, signing } from './keys.ts'
export type { Signer } from './keys.ts'
