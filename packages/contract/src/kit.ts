import * as z from 'zod'
import type { ErrorName } from './errors.ts'
import { holds } from './permissions.ts'
import type { Permission } from './permissions.ts'
import type { WebhookEvent } from './webhook-events.ts'
import type { Text } from './wire.ts'

/** What a caller must hold: a permission, one of several, any session, or nothing at all. */
export type Access = Permission | readonly Permission[] | 'signed_in' | 'public'

/** Whether these permissions, names and patterns, open a call to somebody who is signed in. */
export const opens = ({ needs }: { needs: Access }, held: readonly string[]): boolean =>
  needs === 'signed_in' ||
  needs === 'public' ||
  (typeof needs === 'string' ? holds(held, needs) : needs.some((one) => holds(held, one)))

/**
 * Whose matter a call is. A tenant's is refused to who acts for no customer or sub-account (the provider's people
 * outside of all customers), the provider's to everyone but its own people. A group says that it is the provider's
 * (`ofProvider`). Of any other, what needs no permission is about the person who calls, and the rest a tenant's; a row
 * says otherwise where it is not so.
 */
export type Scope = 'tenant' | 'ops' | 'person'

/** One row of the contract. Everything about a call that is not business is derived from it. */
export type Call<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, E extends ErrorName = ErrorName> = {
  /** A write is recorded in the operation log and never retried by the client, whatever its method. */
  effect: 'read' | 'write'
  method: 'GET' | 'POST'
  /** Answers GET as well, where the specification has it so and the input is too long for an address. */
  is_also_get?: boolean
  path: string
  group: string
  key: string
  needs: Access
  /** What this input asks for besides `needs`: what is done decides which permission that is. */
  needs_for?: (input: any) => string
  /** Name of the action, in the operation log and in OpenAPI. */
  title: Text
  input: I
  output: O
  errors: readonly E[]
  scope: Scope
  /** Only for a person's own session: an API token is refused. */
  is_personal?: boolean
  /**
   * A write that is no operation: what a console remembers for its person. `unless_refused`: only what was refused is of
   * interest, as a wrong password is.
   */
  is_unlogged?: true | 'unless_refused'
  /** About the session itself: possible from whatever account a tab believes to be in, even one that it may not act for. */
  is_about_session?: boolean
  /** What webhooks hear when it is done, beside the entry of the operation log. */
  tells?: WebhookEvent | ((input: any) => WebhookEvent)
  /** What they hear when it was refused. */
  tells_refused?: WebhookEvent
  /** Whether this input is asked for with the password again (login/confirm_password), within the last minutes. */
  asks_password?: (input: any) => boolean
  /**
   * Whether this input does to devices what hurts when many are hit. The handler says how many that is (`brake` of the server): from
   * `password_from_devices` of an account within an hour on, the password is asked for again.
   */
  destroys?: (input: any) => boolean
  /** May somebody who is limited to device groups make it? Of a tenant's writes that name no device or group the row says so. */
  limited?: Limited
  /** Goes on when the disk is full: it makes room, ends something, or lets people in and out. Any other write is refused. */
  works_on_full_disk?: boolean
  /** Keeps uploads that its input names: whoever may call it may upload. */
  keeps_uploads?: boolean
  /** Bytes of a body that may be larger than others'. Strangers are refused before it is read. */
  body_bytes?: number
}
/**
 * `refused`: it changes what is everybody's, on devices that such a person may not see. `within_groups`: it is about their own
 * things or devices, or the handler keeps it to those.
 */
export type Limited = 'refused' | 'within_groups'

type Row<I extends z.ZodType, O extends z.ZodType, E extends ErrorName> = Omit<
  Call<I, O, E>,
  'path' | 'group' | 'key' | 'scope'
> & { path?: string; scope?: Scope }
type Parts<I extends z.ZodType, O extends z.ZodType, E extends ErrorName> = {
  needs: Access
  title: Text
  input: I
  output: O
  errors?: readonly E[]
  /** Only where the specification's path is not group/key. */
  path?: string
  /** Only where it does not follow from the group and from `needs`. */
  scope?: Scope
  needs_for?: (input: z.output<NoInfer<I>>) => string
  is_also_get?: boolean
  is_personal?: boolean
  is_unlogged?: true | 'unless_refused'
  is_about_session?: boolean
  tells?: WebhookEvent | ((input: z.output<NoInfer<I>>) => WebhookEvent)
  tells_refused?: WebhookEvent
  works_on_full_disk?: boolean
  keeps_uploads?: boolean
  asks_password?: (input: z.output<NoInfer<I>>) => boolean
  destroys?: (input: z.output<NoInfer<I>>) => boolean
  limited?: Limited
  body_bytes?: number
}

const row =
  (effect: Call['effect']) =>
  <I extends z.ZodType, O extends z.ZodType, const E extends ErrorName = never>(
    method: Call['method'],
    parts: Parts<I, O, E>,
  ): Row<I, O, E> => ({ ...parts, effect, method, errors: parts.errors ?? [] })

/** A call that changes nothing: safe to retry, cached by the console under its input. */
export const read = row('read')
/** A call that changes something: one row in the operation log, its group's reads are refetched. */
export const write = row('write')

/** What a call answers that replies with a file: its bytes are made while they are read. */
export type FileReply = { name: string; body: AsyncIterable<Uint8Array> }
const FileReply = z.custom<FileReply>()
export const isFile = (call: Call): boolean => (call.output as unknown) === FileReply

/** Whether it reads rows of which there may be many: a page of a list, or a file. */
export const isList = (call: Call): boolean =>
  call.effect === 'read' &&
  (isFile(call) || (call.output instanceof z.ZodObject && 'total_is_exact' in call.output.shape))

/** A call that replies with a file instead of the envelope. Its refusals are envelopes like all others. */
export const file = <I extends z.ZodType, const E extends ErrorName = never>(
  effect: Call['effect'],
  method: Call['method'],
  parts: Omit<Parts<I, typeof FileReply, E>, 'output'>,
): Row<I, typeof FileReply, E> => row(effect)(method, { ...parts, output: FileReply } as Parts<I, typeof FileReply, E>)

// `any` is the one way to say "a row of some shape" without losing what it infers.
type AnyRow = Row<any, any, any>
export type Group = Record<string, Call<any, any, any>>
export type Mounted<T extends Record<string, AnyRow>> = {
  [K in keyof T]: T[K] extends Row<infer I, infer O, infer E> ? Call<I, O, E> : never
}

type Named = { name: string; limited?: Limited; scope?: Scope }
/** A group whose writes are kept to the devices and things of who is limited to device groups. */
export const withinGroups = (name: string): Named => ({ name, limited: 'within_groups' })
/** A group whose writes change what is everybody's in the account. */
export const ofWhole = (name: string): Named => ({ name, limited: 'refused' })
/** A group of the provider's own matters: none of its calls is open to anybody else. */
export const ofProvider = (name: string): Named => ({ name, scope: 'ops' })

/**
 * Puts rows under a wire prefix: `group('terminal_group', …, { list })` is the call `terminal_group/list`. A name that says
 * `limited` or `scope` says it of all calls of the group that do not say it themselves, `limited` of the writes.
 */
export function group<const T extends Record<string, AnyRow>>(
  named: string | Named,
  title: Text,
  rows: T,
): { title: Text; calls: Mounted<T> } {
  const { name, limited, scope }: Named = typeof named === 'string' ? { name: named } : named
  const calls = Object.fromEntries(
    Object.entries(rows).map(([key, parts]) => [
      key,
      {
        ...(limited && parts.effect === 'write' && { limited }),
        ...parts,
        group: name,
        key,
        scope: parts.scope ?? scope ?? (isOpenToAll(parts) ? 'person' : 'tenant'),
        path: parts.path ?? `${name}/${key}`,
      },
    ]),
  )
  return { title, calls: calls as Mounted<T> }
}

const isOpenToAll = ({ needs }: { needs: Access }): boolean => needs === 'signed_in' || needs === 'public'

export type In<C> = C extends Call<infer I, any, any> ? z.output<I> : never
export type Sent<C> = C extends Call<infer I, any, any> ? z.input<I> : never
export type Out<C> = C extends Call<any, infer O, any> ? z.output<O> : never
/** What a handler may return: before the output schema strips and fills it. */
export type Answer<C> = C extends Call<any, infer O, any> ? z.input<O> : never
export type Errors<C> = C extends Call<any, any, infer E> ? E : never
