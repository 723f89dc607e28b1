import { activationErrors } from './errors/activation.ts'
import { contentErrors } from './errors/content.ts'
import { devicesErrors } from './errors/devices.ts'
import type { Entry } from './errors/entry.ts'
import { fencesErrors } from './errors/fences.ts'
import { istageErrors } from './errors/istage.ts'
import { operationsErrors } from './errors/operations.ts'
import { osErrors } from './errors/os.ts'
import { peopleErrors } from './errors/people.ts'
import { policiesErrors } from './errors/policies.ts'
import { remoteErrors } from './errors/remote.ts'
import { sharedErrors } from './errors/shared.ts'
import { sheetErrorEntries } from './errors/sheets.ts'
import { stagingErrors } from './errors/staging.ts'
import type { Language } from './wire.ts'

/**
 * Every refusal of the product. `result` is the wire's code and never changes; `{name}` in a message is filled
 * from the details a handler gives. 40015-40025 and 10000 are the specification's own (section 8).
 */
export const errors = {
  ...sharedErrors,
  ...peopleErrors,
  ...devicesErrors,
  ...sheetErrorEntries,
  ...contentErrors,
  ...istageErrors,
  ...activationErrors,
  ...osErrors,
  ...operationsErrors,
  ...policiesErrors,
  ...fencesErrors,
  ...stagingErrors,
  ...remoteErrors,
} as const satisfies Record<string, Entry>

export type ErrorName = keyof typeof errors
/** Refusals that any call may meet before or around its handler; rows do not list them. */
export const commonErrors = [
  'bad_input',
  'unauthorized',
  'no_permission',
  'not_found',
  'too_large',
  'too_many_requests',
  'internal',
  'unavailable',
  'disk_full',
  'file_content_missing',
  'account_unavailable',
  'password_required',
  'second_person_needed',
] as const satisfies ErrorName[]
export type CommonError = (typeof commonErrors)[number]

export type ErrorDetails = Record<string, string | number>

/** The message of a refusal in the caller's language, its placeholders filled. */
export const errorMessage = (name: ErrorName, language: Language, details: ErrorDetails = {}): string =>
  errors[name].message[language].replace(/\{(\w+)\}/g, (whole, key: string) => String(details[key] ?? whole))
