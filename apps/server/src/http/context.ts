import type {
  Answer,
  Call,
  CallKey,
  ChangedThing,
  ChangeName,
  ChangeSaid,
  CommonError,
  Contract,
  ErrorDetails,
  Errors,
  FieldFault,
  GroupKey,
  In,
  InformationName,
  Language,
} from '@mdm/contract'
import type { Tables } from '../db/schema/tables.ts'
import type { Actor } from '../actor.ts'

/** The caller and the account: made by http/session and trusted by all code below. */
export type SignedIn = {
  kid: string
  user_kid: string
  username: string
  name: string
  account_type: 1 | 2 | 3 | 101
  own_account_kid: string
  /** The entered customer, else the caller's own account. */
  account_kid: string
  account_name: string
  /** Whether `account_kid` is a customer or a sub-account (type 1 or 2) and not the provider. */
  is_tenant: boolean
  enter_kid: string | null
  permissions: readonly string[]
  /** Device groups (with all below) this user is limited to; undefined is no limit. */
  group_kids: readonly string[] | undefined
  /** `kid` is then an api_token's. */
  is_api_token: boolean
  /** Whether an API token passes where a person is asked for the password again. */
  may_destroy: boolean
  /** When the password was last typed again in this session. */
  confirmed_at: Date | null
}

/** As the operation log names who did something. */
export type Operator = Pick<
  Tables['operation_log'],
  'account_kid' | 'account_name' | 'operator_kid' | 'operator_name' | 'operator_username'
>

export type RequestInfo = {
  kid: string
  address: string
  user_agent: string
  url: string
  method: string
  content_type: string | null
  content_length: number
  timestamp: string | null
  language: Language
  /** Cookie that binds a sign-in by OpenID Connect to the browser in which it began. */
  oidc_cookie?: string | undefined
  /** The cookie that a browser got at an earlier sign-in. */
  browser_cookie?: string | undefined
  /** Has the browser of this call keep a cookie; the header's line. */
  keepCookie?: ((line: string) => void) | undefined
  /** Who made a call without a session, for the operation log: a link or a name that was typed says so. */
  identify?: ((operator: Operator) => void) | undefined
  /** Aborted when the client has disconnected before the reply: work for that client alone may end then. */
  clientGone?: (() => AbortSignal) | undefined
}

/** `change` is said in English, to webhooks and where a later release no longer knows the kind. */
export type Track = {
  table: string
  kid: string
  /** What it was called then; `recordOperation` finds it. Absent in what earlier releases recorded. */
  name?: string
  change: string
  kind: ChangeName
  details?: ChangeSaid[1]
}

export type Ctx<C = Call> = Actor & {
  request: RequestInfo
  /** Refused as `unauthorized` when a public call asks for it, or for what an actor has. */
  session: SignedIn
  may(permission: string): boolean
  /** Accepts only the refusals that the call's row declares. */
  fail(name: Errors<C> | CommonError, details?: ErrorDetails, fields?: Record<string, FieldFault>): never
  /** Notes what a write changed, for the operation log. */
  track(table: ChangedThing & (keyof Tables | InformationName), kid: string, ...said: ChangeSaid): void
}

/** An actor with those parts of a call that a service needs. */
export type ActorWith<K extends Exclude<keyof Ctx, keyof Actor>> = Actor & Pick<Ctx, K>

type CallOf<G extends GroupKey, K extends CallKey<G>> = Contract[G]['calls'][K]
/** A handler for every call of a group: a missing one, a wrong answer and an undeclared refusal do not compile. */
export type Handlers<G extends GroupKey> = {
  [K in CallKey<G>]: (input: In<CallOf<G, K>>, ctx: Ctx<CallOf<G, K>>) => Promise<Answer<CallOf<G, K>>>
}
export const implement = <G extends GroupKey>(_group: G, handlers: Handlers<G>): Handlers<G> => handlers
