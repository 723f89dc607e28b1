import type { Call, ErrorName } from '@mdm/contract'
import type { Tables } from '@mdm/server/db/schema/tables.ts'
import type { Caller } from '../caller.ts'
import type { Device } from '../enrol.ts'
import type { World } from '../world.ts'
import type { Kind } from './kinds.ts'
import type { Refusals } from './refusals.ts'
import type { Stage } from './stage.ts'

/** Ids of one tenant's rows, one of each kind. Each feature adds its own by `declare module`. */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/consistent-type-definitions
export interface Things {}

/** For whom rows are made: a customer of the world, its root user, and a device of it that nothing else uses. */
type Making = { w: World; customer: number; call: Caller; device: Device }

type TenantTable = { [T in keyof Tables]: 'account_kid' extends keyof Tables[T] ? T : never }[keyof Tables]

/** What the sweeps know of one feature: one file of features/, named as its folder in the server's modules/. */
export type Feature = {
  /** Makes one of each of its rows; `made` holds those of the features before it in the alphabet. */
  make?: (making: Making, made: Things) => Promise<Partial<Things>>
  /** By path, for each of its calls: an input that parses, with the ids of `t`. */
  inputs: (t: Things) => Record<string, Record<string, unknown>>
  /** How each refusal that its calls declare comes about. */
  refusals?: (s: Stage) => Refusals | Promise<Refusals>
  /** Tables with rows of tenants, in which nobody else changes anything. */
  tables?: readonly TenantTable[]
  /** Refusals that say no more than "there is no such thing for you". */
  not_found?: readonly ErrorName[]
  /** By hand, so that permissions cannot be right only by the rule that the server follows too: who may call what. */
  open_to?: Readonly<Record<string, readonly Kind[]>>
  /** Calls that the provider's users may make without having entered a customer, beside those of the provider. */
  open_outside?: readonly Call[]
  /** Calls that work for the provider itself, though they are not of its groups. */
  of_provider?: readonly Call[]
  /** A call that is open to all, in any account. */
  open_to_all?: readonly Call[]
  /** A call after which the sweep would be signed out. */
  ends_session?: readonly Call[]
  /** Calls that end or change what the sweep needs when an input is taken. */
  destructive?: readonly Call[]
  /** Writes whose row of the operation log is not of the caller. */
  unattributed?: readonly Call[]
}
