import * as z from 'zod'
import type { ErrorName } from './errors.ts'
import type { Permission } from './permissions.ts'
import type { Text } from './wire.ts'

/** What a caller must hold: a permission, any session, or nothing at all. */
export type Access = Permission | 'signed_in' | 'public'

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
  /** Name of the action, in the operation log and in OpenAPI. */
  title: Text
  input: I
  output: O
  errors: readonly E[]
  /** `ops` calls are refused to everyone but the provider's own accounts. */
  scope: 'ops' | 'account'
  /** Only for a person's own session: an API token is refused. */
  is_personal?: boolean
  /** A write that is no operation: what a console remembers for its person. */
  is_unlogged?: boolean
  /** Whether this input is asked for with the password again (login/confirm_password), within the last minutes. */
  asks_password?: (input: any) => boolean
  /** Bytes of a body that may be larger than others'. Strangers are refused before it is read. */
  body_bytes?: number
}

type Row<I extends z.ZodType, O extends z.ZodType, E extends ErrorName> = Omit<
  Call<I, O, E>,
  'path' | 'group' | 'key' | 'scope'
> & { path?: string }
type Parts<I extends z.ZodType, O extends z.ZodType, E extends ErrorName> = {
  needs: Access
  title: Text
  input: I
  output: O
  errors?: readonly E[]
  /** Only where the specification's path is not group/key. */
  path?: string
  is_also_get?: boolean
  is_personal?: boolean
  is_unlogged?: boolean
  asks_password?: (input: z.output<NoInfer<I>>) => boolean
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

/** Puts rows under a wire prefix: `group('terminal_group', …, { list })` is the call `terminal_group/list`. */
export function group<const T extends Record<string, AnyRow>>(
  name: string,
  title: Text,
  rows: T,
): { title: Text; calls: Mounted<T> } {
  const scope = name.startsWith('ops/') ? 'ops' : 'account'
  const calls = Object.fromEntries(
    Object.entries(rows).map(([key, parts]) => [
      key,
      { ...parts, group: name, key, scope, path: parts.path ?? `${name}/${key}` },
    ]),
  )
  return { title, calls: calls as Mounted<T> }
}

export type In<C> = C extends Call<infer I, any, any> ? z.output<I> : never
export type Sent<C> = C extends Call<infer I, any, any> ? z.input<I> : never
export type Out<C> = C extends Call<any, infer O, any> ? z.output<O> : never
/** What a handler may return: before the output schema strips and fills it. */
export type Answer<C> = C extends Call<any, infer O, any> ? z.input<O> : never
export type Errors<C> = C extends Call<any, any, infer E> ? E : never
