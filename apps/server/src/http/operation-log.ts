import { errorMessage, errors } from '@mdm/contract'
import type { Call, ErrorDetails } from '@mdm/contract'
import { sql } from 'kysely'
import { isDiskFull } from '../lib/database-errors.ts'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import { diskIsFull, ranOutOfDisk } from '../lib/disk-room.ts'
import { newKid } from '../lib/ids.ts'
import { withoutSecrets } from '../lib/log.ts'
import { parseUserAgent } from '../lib/user-agent.ts'
import { Refusal } from '../refusal.ts'
import type { Operator, RequestInfo, SignedIn, Track } from './context.ts'

export type Operation = {
  call: Call
  request: RequestInfo
  session: SignedIn | undefined
  input: unknown
  data: unknown
  /** 1 is success, else the code of the refusal. */
  result: number
  message: string
  /** What fills the sentence, for readers of other languages. */
  details?: ErrorDetails | undefined
  tracks: readonly Track[]
  duration_ms: number
  /** Login name of a failed sign-in, where the input does not have it. */
  tried?: string | number | undefined
  /** Who it turned out to be, without a session. */
  identified?: Operator | undefined
  /** The row that was written before it was done. */
  begun?: Begun | undefined
}
export type Begun = { kid: string; created_at: Date }

const maxContentBytes = 8192
const maxTracks = 200
/** Of an input that was refused the remark may be of any length. */
const maxRemark = 200

/**
 * Records a write before it is done, its outcome still unknown, and refuses it when that is not possible. What is done
 * outside of a transaction, such as moving a file, has its row this way too.
 */
export async function beginOperation(
  deps: Deps,
  asked: Pick<Operation, 'call' | 'request' | 'input'> & { session: SignedIn },
): Promise<Begun> {
  const begun = { kid: newKid(), created_at: deps.clock.now() }
  const { result } = errors.outcome_unknown
  const message = errorMessage('outcome_unknown', asked.request.language)
  const unknown = { ...asked, data: null, result, message, tracks: [], duration_ms: 0 }
  try {
    await deps.db
      .insertInto('operation_log')
      .values({ ...begun, ...rowOf(unknown, byOperator(asked.session)) })
      .execute()
  } catch (error) {
    const { request, call } = asked
    deps.log.error({ err: error, path: call.path, request_kid: request.kid }, 'operation not recorded, and so refused')
    if (isDiskFull(error)) ranOutOfDisk(deps, error)
    throw new Refusal(isDiskFull(error) || diskIsFull(deps) ? 'disk_full' : 'unavailable')
  }
  return begun
}

/** Takes back the row of what was put off until the password is typed again. Best effort: it would say `outcome_unknown`. */
export async function forgetOperation(deps: Deps, begun: Begun | undefined): Promise<void> {
  if (!begun) return
  await deps.db
    .deleteFrom('operation_log')
    .where('kid', '=', begun.kid)
    .where('created_at', '=', begun.created_at)
    .execute()
    .catch((error: unknown) => deps.log.warn({ err: error }, 'an operation that was put off stays in the log'))
}

/**
 * One row for one write, successful or refused, with the fields of specification, 3, and what webhooks hear of it. Never
 * throws: a write that was done is in the row that was begun, and one without a session or refused changed nothing.
 */
export async function recordOperation(deps: Deps, operation: Operation): Promise<void> {
  const who = operatorOf(operation)
  if (!who) return
  const { call, request, result, input, begun } = operation
  const { kid, created_at } = begun ?? { kid: newKid(), created_at: deps.clock.now() }
  const tracks = await withNames(deps, operation.tracks.slice(0, maxTracks))
  const row = rowOf({ ...operation, tracks }, who)
  const statement = begun
    ? deps.db.updateTable('operation_log').set(row).where('kid', '=', kid).where('created_at', '=', created_at)
    : deps.db.insertInto('operation_log').values({ ...row, kid, created_at })
  try {
    const { message, operator_name, operator_username } = row
    const { address } = request
    const done_by = { ...who, operator_name, operator_username }
    await deps.features.webhooks.recordHeard(
      deps,
      { ...done_by, kid, call, input, result, message, tracks, address, created_at },
      statement,
    )
  } catch (error) {
    deps.log.error({ err: error, path: call.path, request_kid: request.kid }, 'outcome of an operation not recorded')
    return
  }
  const event = { type: 'operation_log' } as const
  if (who.account_kid) deps.live.publish(who.account_kid, event)
  deps.live.publish(null, event)
}

/** Where things that are changed by their kid alone keep what people call them. */
const nameColumns = {
  terminal: 'sn',
  terminal_group: 'name',
  account: 'name',
  user_account: 'username',
  push_task: 'summary',
  electronic_fence: 'name',
  config_profile: 'name',
} as const satisfies Partial<Record<keyof Tables, string>>

/**
 * The tracks with what each thing is called: the log is read when it may have another name, or be gone. What was deleted is
 * named by its change. Without names when the database does not answer: they must not cost the row.
 */
async function withNames(deps: Deps, tracks: readonly Track[]): Promise<Track[]> {
  const names = new Map<string, string>()
  try {
    for (const [table, column] of Object.entries(nameColumns)) {
      const kids = tracks.filter((track) => track.table === table).map(({ kid }) => kid)
      if (kids.length === 0) continue
      const { rows } = await sql<{ kid: string; name: string }>`
        SELECT kid, ${sql.ref(column)} AS name FROM ${sql.table(table)} WHERE kid = ANY(${kids}::uuid[])
      `.execute(deps.db)
      for (const { kid, name } of rows) names.set(kid, name)
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'an operation is recorded without the names of what it changed')
  }
  return tracks.map((track) => {
    const { sn, name, code } = (track.details ?? {}) as Record<string, unknown>
    return { ...track, name: names.get(track.kid) ?? String(sn ?? name ?? code ?? '') }
  })
}

function rowOf(operation: Operation, who: Operator) {
  const { call, request, result, duration_ms } = operation
  const { name, version, major_version, os } = parseUserAgent(request.user_agent)
  return {
    ...who,
    operator_name: storable(who.operator_name),
    operator_username: storable(who.operator_username),
    module_code: call.group,
    action_code: call.key,
    ip: request.address,
    result,
    message: storable(operation.message),
    ...(operation.details && { message_details: json(withoutSecrets(operation.details)) }),
    duration_ms,
    client: json({
      access_type: isBrowser(name) ? 'web' : 'api',
      access_target: call.path,
      access_mode: call.method,
      timestamp: request.timestamp,
      ip: request.address,
      os,
      name,
      version,
      major_version,
    }),
    request: json({
      url: request.url,
      method: request.method,
      content_type: request.content_type,
      length: request.content_length,
      content: content(operation.input),
    }),
    response: json({ content: content(operation.data) }),
    tracks: json(operation.tracks),
    remark: remarkOf(operation.input),
  }
}

const byOperator = (session: SignedIn): Operator => ({
  account_kid: session.account_kid,
  account_name: session.account_name,
  operator_kid: session.user_kid,
  operator_name: session.name,
  operator_username: session.username,
})

/**
 * The user of a write: of the session, of the sign-in, or the name of a failed sign-in. Undefined for a request without any, which
 * could otherwise fill the log, and while the second step of a sign-in is still to come.
 */
function operatorOf({ call, session, input, data, result, tried, identified }: Operation): Operator | undefined {
  if (session) return byOperator(session)
  if (call.needs !== 'public') return undefined
  if (result === 1) {
    if (identified) return identified
    const signed_in = data as Partial<SignedIn>
    if (!signed_in.user_kid || !signed_in.account_kid) return undefined
    return {
      account_kid: signed_in.account_kid,
      account_name: signed_in.account_name ?? null,
      operator_kid: signed_in.user_kid,
      operator_name: signed_in.name ?? '',
      operator_username: signed_in.username ?? '',
    }
  }
  if (result === errors.bad_input.result || result === errors.too_many_requests.result) return undefined
  const operator_username = String(tried ?? (input as { username?: unknown }).username ?? '').slice(0, 64)
  if (operator_username === '') return undefined
  return { account_kid: null, account_name: null, operator_kid: null, operator_name: '', operator_username }
}

const isBrowser = (name: string | null): boolean => name !== null && name !== 'curl'

/** What the operator wrote beside it, where the call takes a remark. */
function remarkOf(input: unknown): string {
  const { remark } = (input ?? {}) as { remark?: unknown }
  return typeof remark === 'string' ? storable(remark).slice(0, maxRemark) : ''
}

/** As it may be kept: secrets masked, 8 KB at most. */
function content(value: unknown): string {
  if (value === undefined || value === null) return ''
  const bytes = Buffer.from(JSON.stringify(withoutSecrets(value)) ?? '')
  if (bytes.length <= maxContentBytes) return bytes.toString()
  // The cut may fall into a character, which then reads as U+FFFD.
  return `${bytes
    .subarray(0, maxContentBytes)
    .toString()
    .replace(/\uFFFD+$/, '')}…`
}

/** PostgreSQL keeps no NUL in text, and no half of a surrogate pair in JSON. */
const storable = (text: string): string => text.replace(/\0/g, '').replace(/\p{Cs}/gu, '\uFFFD')
const json = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? storable(part) : part))
