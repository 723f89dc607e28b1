import type { ErrorDetails, ErrorName, FieldFault } from '@mdm/contract'

/**
 * A refusal with a name from the catalogue. `fields` goes out as `data.fields`. `username` of the details is whom the
 * operation log names when nobody is signed in.
 */
export class Refusal extends Error {
  constructor(
    readonly refusal: ErrorName,
    readonly details: ErrorDetails = {},
    readonly fields?: Record<string, FieldFault>,
  ) {
    super(refusal)
  }
}

/** Ends the call with a refusal; for services, which are not tied to one row of the contract. */
export function refuse(name: ErrorName, details?: ErrorDetails): never {
  throw new Refusal(name, details)
}

export type Reason = { name: ErrorName; details: ErrorDetails }
/** Why something failed, to be told later in the language of whoever reads it. */
export const reasonOf = (error: unknown): Reason =>
  error instanceof Refusal ? { name: error.refusal, details: error.details } : { name: 'internal', details: {} }
export const remembered = (error: unknown): string => JSON.stringify(reasonOf(error))
