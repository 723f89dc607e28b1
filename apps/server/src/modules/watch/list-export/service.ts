import { constants, contract, fieldFaultsOf } from '@mdm/contract'
import type { Call, Contract, FieldFault, GroupKey, In, Language } from '@mdm/contract'
import * as z from 'zod'
import { customerOfAccount } from '../../../db/customer.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import type { Ctx, SignedIn } from '../../../http/context.ts'
import { authorise } from '../../../http/authorise.ts'
import { digest, newSecret } from '../../../lib/ids.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { splitKey } from './cells.ts'

export type ExportRequest = In<Contract['listExport']['calls']['insert']>
type Shape = Record<string, z.ZodType>
/** A call that answers rows, page by page or all at once, and the fields of a row. */
export type List = { group: GroupKey; name: string; call: Call; shape: Shape; has_pages: boolean }
export type Export = {
  kid: string
  session_kid: string
  account_kid: string
  request: ExportRequest
  language: Language
}

const ticket_minutes = 10
const page_size = 200
const hourly = { limit: constants.exports_per_hour, per_ms: 3_600_000 }

const lists: ReadonlyMap<string, List> = new Map(
  Object.entries(contract).flatMap(([group, { calls }]) =>
    Object.entries(calls as Record<string, Call>).flatMap(([name, call]): [string, List][] => {
      if (call.effect !== 'read') return []
      const paged = pagedRow(call)
      const shape = paged ?? wholeRow(call)
      return shape ? [[call.path, { group: group as GroupKey, name, call, shape, has_pages: paged !== undefined }]] : []
    }),
  ),
)

function pagedRow({ input, output }: Call): Shape | undefined {
  if (!(input instanceof z.ZodObject) || !(output instanceof z.ZodObject)) return undefined
  const { items, next } = output.shape as Record<string, z.ZodType | undefined>
  if (!('after' in input.shape) || !next || !(items instanceof z.ZodArray)) return undefined
  return items.element instanceof z.ZodObject ? (items.element.shape as Shape) : undefined
}

function wholeRow({ output }: Call): Shape | undefined {
  if (!(output instanceof z.ZodArray) || !(output.element instanceof z.ZodObject)) return undefined
  const shape = output.element.shape as Shape
  return 'kid' in shape ? shape : undefined
}

export const listOf = (path: string): List => lists.get(path) ?? refuse('export_not_possible')

/** The input of the page that follows `after`; the first one without. */
export const pageInput = (
  { call, has_pages }: List,
  { input }: Pick<ExportRequest, 'input'>,
  after?: string,
): z.ZodSafeParseResult<unknown> => {
  if (!has_pages) return call.input.safeParse(input)
  const { page: _, after: _after, ...own } = input
  return call.input.safeParse({ ...own, page_size, ...(after === undefined ? {} : { after }) })
}

/** The list, if this person may have it, with these filters and columns. @throws what the export is refused with */
export function assertPossible(request: Pick<ExportRequest, 'path' | 'input' | 'columns'>, session: SignedIn): List {
  const list = listOf(request.path)
  authorise(list.call, session)
  const parsed = pageInput(list, request)
  if (!parsed.success) throw new Refusal('bad_input', {}, underInput(fieldFaultsOf(parsed.error, request.input)))
  assertFields(list.shape, request.columns)
  return list
}

/**
 * Remembers what a download will say, and returns where it is fetched. The address holds a secret, because a browser
 * sends no token with a plain link; only its hash is kept, and it is worth something only while the session lives.
 */
export async function prepare(
  { deps, session }: Ctx,
  request: ExportRequest,
  language: Language,
): Promise<{ kid: string; url: string }> {
  const list = assertPossible(request, session)
  if (request.kids && list.has_pages) throw new Refusal('bad_input', {}, { kids: { name: 'not_of_pages' } })
  await countExport(deps, session.account_kid)
  const secret = newSecret()
  const kid = kidOf(secret)
  const created_at = deps.clock.now()
  await deps.db
    .insertInto('list_export')
    .values({
      kid,
      account_kid: session.account_kid,
      session_kid: session.kid,
      request: JSON.stringify(request),
      language,
      created_at,
      expires_at: new Date(created_at.getTime() + ticket_minutes * 60_000),
    })
    .execute()
  return { kid, url: `/files/export/${secret}` }
}

/** Counts one for the customer, whoever asks, signed in or by API token. @throws `too_many_requests` */
export async function countExport(deps: Deps, account_kid: string): Promise<void> {
  const customer = await customerOfAccount(deps.db, account_kid)
  await takeSharedTry(deps, 'exports', hourly, customer)
}

/** What a secret was made for. It stays good until `take`. */
export async function find({ db, clock }: Deps, secret: string): Promise<Export> {
  const row = await db
    .selectFrom('list_export')
    .select(['kid', 'session_kid', 'account_kid', 'request', 'language'])
    .where('kid', '=', kidOf(secret))
    .where('expires_at', '>', clock.now())
    .executeTakeFirst()
  return (row as Export | undefined) ?? refuse('not_found')
}

/** Uses it up; of two who fetch at the same time one is refused. */
export async function take({ db }: Deps, kid: string): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom('list_export').where('kid', '=', kid).executeTakeFirst()
  if (numDeletedRows === 0n) refuse('not_found')
}

/** Nobody exports what a list does not show. */
export function assertFields(shape: List['shape'], columns: ExportRequest['columns']): void {
  const odd = columns.findIndex(({ key }) => !isField(shape, key))
  if (odd >= 0) throw new Refusal('bad_input', {}, { [`columns.${odd}.key`]: { name: 'not_of_list' } })
}

/** A field of the rows, or what one of them has under names that are not the contract's: `fields.<kid>`. */
function isField(shape: List['shape'], key: string): boolean {
  const [field, inner] = splitKey(key)
  return Object.hasOwn(shape, field) && (inner === undefined || shape[field] instanceof z.ZodRecord)
}

const kidOf = (secret: string): string =>
  digest(secret)
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const underInput = (fields: Record<string, FieldFault>): Record<string, FieldFault> =>
  Object.fromEntries(Object.entries(fields).map(([field, fault]) => [`input.${field}`, fault]))
