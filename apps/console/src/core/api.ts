import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import { constants, contract, errors } from '@mdm/contract'
import type { Call, Contract, Envelope, GroupKey, Out, Sent } from '@mdm/contract'
import { isOutside } from './access.ts'
import { serverUrl, withServer } from './base-url.ts'
import { CallFailed, localResults } from './call-failed.ts'
import { navigateTo, here, loginPath } from './navigation.ts'
import { translate } from '../i18n/translate.ts'
import { notify } from './notices.ts'
import { askPasswordAgain } from './password-again.ts'
import { queryClient } from './queries.ts'
import { saveBlob } from './save-blob.ts'
import { forgetAccount, forgetSession, sessionState, useSessionStore } from './session-store.ts'

/** Any row of the contract, whatever its schemas. */
export type AnyCall = Call<any, any, any>
type Api = { readonly [G in GroupKey]: Contract[G]['calls'] }

/** Every call of the contract: `api.terminal.paging` is the row that `send`, `useCall` and `useWrite` take. */
export const api = Object.fromEntries(Object.entries(contract).map(([key, group]) => [key, group.calls])) as Api

/**
 * Sends one call and answers with its `data`. A call that is refused until the password is typed again waits for that.
 * @throws CallFailed for every result but 1, for no network and for no answer within `patience_ms`
 */
export const send = <C extends AnyCall>(
  call: C,
  input: Sent<C>,
  signal?: AbortSignal,
  patience_ms: number = constants.request_timeout_ms,
): Promise<Out<C>> => confirmed(call, () => sendOnce(call, input, patience_ms, signal))

/**
 * Sends a call that replies with a file; resolves when the file begins to come, which may take minutes to end.
 * @throws CallFailed as `send` does
 */
export const sendForFile = <C extends AnyCall>(call: C, input: Sent<C>): Promise<Response> =>
  confirmed(call, async () => {
    const late = AbortSignal.timeout(constants.batch_timeout_ms)
    const read = async (response: Response) => (response.ok && !isJson(response) ? response : readEnvelope(response))
    const { reply, token, account_kid } = await ask(call, input, { late, read })
    if (reply instanceof Response) return reply
    throw failure(reply, token, account_kid)
  })

/** Saves the file that a call replies with, under the name that it has. @throws CallFailed */
export async function download<C extends AnyCall>(call: C, input: Sent<C>): Promise<void> {
  const response = await sendForFile(call, input)
  const named = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  const body = await response.blob().catch((error: unknown) => {
    // What was cut off on the way is no file.
    throw new CallFailed(localResults.offline, translate('common:failed.offline'), {}, { cause: error })
  })
  saveBlob(named ? decodeURIComponent(named) : '', body)
}

async function confirmed<T>(call: AnyCall, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof CallFailed) || error.result !== errors.password_required.result) throw error
      if (!(await askPasswordAgain(call.title[sessionState().language]))) {
        throw new CallFailed(
          localResults.not_confirmed,
          translate('shell:password_again.not_confirmed'),
          {},
          { cause: error },
        )
      }
    }
  }
}

/** In whose name a call is made: the token, and the account that is acted for. */
type Name = { token: string | null; account_kid: string | null }

/**
 * Once, in another name than the tab has: of an account that it does not act for yet, or of a session that it has ended.
 * It arrives also when the page is left meanwhile. @throws CallFailed
 */
export async function sendAs<C extends AnyCall>(name: Name, call: C, input: Sent<C>): Promise<Out<C>> {
  const late = AbortSignal.timeout(constants.request_timeout_ms)
  const { reply } = await ask(call, input, { late, read: readEnvelope, name })
  if (reply.result === 1) return reply.data as Out<C>
  throw failure(reply, name.token, name.account_kid)
}

async function sendOnce<C extends AnyCall>(
  call: C,
  input: Sent<C>,
  patience_ms: number,
  signal?: AbortSignal,
): Promise<Out<C>> {
  // A page of the customer that the operator has just left may still ask; the server would refuse it, and nobody waits.
  const { session } = sessionState()
  if (call.scope === 'tenant' && session && isOutside(session)) throw unread()
  const late = AbortSignal.timeout(patience_ms)
  const { reply, token, account_kid } = await ask(call, input, { late, read: readEnvelope, signal })
  if (reply.result === 1) return reply.data as Out<C>
  throw failure(reply, token, account_kid)
}

const isJson = (response: Response) => response.headers.get('content-type')?.startsWith('application/json') ?? false

type Asking<R> = { late: AbortSignal; read: (response: Response) => Promise<R>; signal?: AbortSignal; name?: Name }

async function ask<C extends AnyCall, R>(
  call: C,
  input: Sent<C>,
  { late, read, signal, name }: Asking<R>,
): Promise<{ reply: R } & Name> {
  const { token, account_kid } = name ?? sessionState()
  // Signed out: what still asks belongs to a page that is on its way out, and would only be refused.
  if (!token && call.needs !== 'public') throw unread()
  const { language } = sessionState()
  const query = new URLSearchParams({ lang: language })
  if (token && account_kid) query.set('account_kid', account_kid)
  if (call.method === 'GET') addInput(query, input)

  // The specification puts AccessToken into the query. The server takes both; the header keeps the token out of
  // proxy logs, browser history and referrers. Only the event stream, which cannot send headers, uses the query.
  const headers = new Headers({ timestamp: String(Date.now()) })
  if (token) headers.set('authorization', `Bearer ${token}`)
  if (call.method === 'POST') headers.set('content-type', 'application/json')

  const over = new AbortController()
  const release = name ? undefined : abortWithSession(over, call, token)
  try {
    const response = await fetch(serverUrl(`/api/${call.path}?${query}`), {
      method: call.method,
      headers,
      body: call.method === 'POST' ? JSON.stringify(input ?? {}) : undefined,
      signal: AbortSignal.any([late, over.signal, ...(signal ? [signal] : [])]),
      keepalive: name !== undefined,
    })
    return { reply: await read(response), token, account_kid }
  } catch (error) {
    if (over.signal.aborted) throw unread()
    if (error instanceof CallFailed || signal?.aborted) throw error
    if (late.aborted)
      throw new CallFailed(localResults.timeout, translate('common:failed.timeout'), {}, { cause: error })
    throw new CallFailed(localResults.offline, translate('common:failed.offline'), {}, { cause: error })
  } finally {
    release?.()
  }
}

/**
 * Ends a call that is under way when its session ends, and a read also when the tab comes to act for another account: nobody
 * waits for the answer, and the server's refusal would stand in the browser's console. Returns what lets go of the call.
 */
const abortWithSession = (over: AbortController, call: AnyCall, token: string | null): (() => void) =>
  useSessionStore.subscribe((now, before) => {
    const is_other_account = now.account_kid !== before.account_kid
    if (token && (now.token !== token || (is_other_account && call.effect === 'read'))) over.abort()
  })

/** Of a call that has no reader any more: whoever still awaits it stays silent. */
const unread = (message = ''): CallFailed => new CallFailed(localResults.unauthorized_again, message)

function addInput(query: URLSearchParams, input: unknown): void {
  for (const [name, value] of Object.entries((input ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
}

async function readEnvelope(response: Response): Promise<Envelope> {
  try {
    const reply = (await response.json()) as Partial<Envelope> | null
    if (typeof reply?.result === 'number') return withServer({ message: '', data: null, ...reply } as Envelope)
  } catch (error) {
    // Cut off on the way, by a reload of the page for one, is not the same as not understood.
    if (!(error instanceof SyntaxError)) throw error
    // Not JSON: a proxy's error page, answered below.
  }
  if (response.status >= 502) throw new CallFailed(localResults.offline, translate('common:failed.offline'))
  throw new CallFailed(localResults.not_readable, translate('common:failed.not_readable', { status: response.status }))
}

const pattern = 'must match regular expression'
const isPattern = (message: string) => message.includes(pattern)

function failure(reply: Envelope, token: string | null, account_kid: string | null): CallFailed {
  if (reply.result === errors.unauthorized.result && token) return unauthorized(reply.message, token)
  if (reply.result === errors.account_unavailable.result && isForeign(account_kid))
    return accountGone(reply.message, account_kid)
  const raw = (reply.data as { fields?: Record<string, string> } | null)?.fields ?? {}
  if (reply.result !== errors.bad_input.result) return new CallFailed(reply.result, reply.message, raw)
  const fields = Object.fromEntries(
    Object.entries(raw).map(([name, message]) => [
      name,
      isPattern(message) ? translate('common:failed.illegal_character') : message,
    ]),
  )
  return new CallFailed(
    errors.bad_input.result,
    isPattern(reply.message) ? translate('common:failed.illegal_character') : reply.message,
    fields,
  )
}

/** Section 8: the first 401 is told and signs out; with its token gone, those that follow are rejected without a word. */
function unauthorized(message: string, token: string): CallFailed {
  // An answer to a request of an earlier session says nothing about the present one.
  if (sessionState().token !== token) return unread(message)
  const from = here()
  forgetSession()
  queryClient.clear()
  notify.fail(new CallFailed(errors.unauthorized.result, message))
  void navigateTo(loginPath(from), { replace: true })
  // Told already, so whoever awaits this call stays silent as well.
  return unread(message)
}

/** Whether it is another account than the own one; of one that was kept from before a reload nothing is known yet. */
function isForeign(account_kid: string | null): boolean {
  const { session } = sessionState()
  return account_kid !== null && account_kid !== session?.own_account_kid
}
/** The customer that the person acts for ended or was disabled: nothing can be done there any more. */
function accountGone(message: string, account_kid: string | null): CallFailed {
  // Of several calls that were under way the first one leads home.
  if (sessionState().account_kid === account_kid) {
    forgetAccount()
    queryClient.clear()
    notify.fail(new CallFailed(errors.account_unavailable.result, message))
    void navigateTo('/home', { replace: true })
  }
  return unread(message)
}

/** The key under which an answer is cached: everything the answer depends on. */
export function keyOf<C extends AnyCall>(call: C, input: Sent<C>): readonly unknown[] {
  const { account_kid, language } = sessionState()
  return [call.group, call.key, account_kid, language, input ?? {}]
}

export type ReadOptions = {
  /** False keeps the call from being made. */
  enabled?: boolean
  /** Shows the answer to the input before this one until the new one is there (lists). */
  keepPrevious?: boolean
  /** Poll; only for what has no live event. */
  refetchMs?: number
  /** For what can be used once: never from the cache, and never replaced without being asked. */
  fresh?: boolean
}
export type ReadResult<C> = UseQueryResult<Out<C>, CallFailed>

/** A read, cached under the call and its input. Live events and writes of its group refetch it. */
export function useCall<C extends AnyCall>(call: C, input: Sent<C>, options: ReadOptions = {}): ReadResult<C> {
  // The key holds account and language, so a change of either must render again.
  useSessionStore((s) => `${s.account_kid} ${s.language}`)
  return useQuery<Out<C>, CallFailed>({
    queryKey: keyOf(call, input),
    queryFn: ({ signal }) => send(call, input, signal),
    enabled: options.enabled ?? true,
    refetchInterval: options.refetchMs ?? false,
    ...(options.fresh && { gcTime: 0, staleTime: Infinity, refetchOnMount: 'always', refetchOnWindowFocus: false }),
    placeholderData: options.keepPrevious ? (keepPreviousData as never) : undefined,
  })
}

export type WriteOptions<C> = {
  onSuccess?: (data: Out<C>, input: Sent<C>) => void
  /** Said when it worked: 'Group created'; by the answer where that decides what has happened. */
  done?: string | ((answer: Out<C>) => string)
  /** Leads away from a page about what is gone now, before that is read again. */
  leave?: () => unknown
  /** Other groups (wire names: 'terminal_group') whose reads this write changes. */
  also?: readonly string[]
}
export type WriteResult<C> = UseMutationResult<Out<C>, CallFailed, Sent<C>> & {
  /** For a button outside any form or dialog: a failure becomes a notice. Resolves to undefined then. */
  run: (input: Sent<C>) => Promise<Out<C> | undefined>
}

/**
 * A write; its group's reads are refetched. Forms and dialogs use `mutateAsync`/`mutate` and show `error`
 * themselves; a lone button uses `run`.
 */
export function useWrite<C extends AnyCall>(call: C, options: WriteOptions<C> = {}): WriteResult<C> {
  const mutation = useMutation<Out<C>, CallFailed, Sent<C>>({
    mutationFn: (input) => send(call, input),
    onSuccess: async (data, input) => {
      if (options.leave) await options.leave()
      for (const group of [call.group, ...(options.also ?? [])]) void invalidate(group)
      if (options.done) notify.ok(typeof options.done === 'function' ? options.done(data) : options.done)
      options.onSuccess?.(data, input)
    },
  })
  const run = (input: Sent<C>) =>
    mutation.mutateAsync(input).catch((error: unknown) => {
      if (!(error instanceof CallFailed && error.is_cancelled)) notify.fail(error)
      return undefined
    })
  return { ...mutation, run } as WriteResult<C>
}

/** Refetches what is on screen of a group, or of one of its calls, and marks the rest as old. */
export const invalidate = (group: string, key?: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: key ? [group, key] : [group] })
