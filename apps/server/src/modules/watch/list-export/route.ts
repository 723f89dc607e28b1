import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { contentTypeOf, disposition, exportName } from '../../../files/names.ts'
import { sheetStream } from '../../../workers/sheet.ts'
import type { Cell } from '../../../workers/sheet.ts'
import * as exports from './index.ts'
import type { Export, List } from './service.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestInfo, SignedIn } from '../../../http/context.ts'
import { authorise } from '../../../http/authorise.ts'
import { context } from '../../../http/mount.ts'
import type { AllHandlers } from '../../../http/mount.ts'
import { requestInfo } from '../../../http/request.ts'
import { sessionOf } from '../../../http/session.ts'

/** Of one account, on this server: an export reads a whole list. */
const at_once = 2
type Row = Record<string, unknown>
type Page = { items: Row[]; next: string | null }

/** GET /files/export/{secret}: a list as a file, once, for the session that asked for it. */
export function mountExports(app: FastifyInstance, deps: Deps, handlers: AllHandlers): void {
  const running = new Map<string, number>()
  app.route({
    method: 'GET',
    url: '/files/export/:secret',
    config: { is_stream: true },
    handler: (request, reply) => download(deps, handlers, running, request, reply),
  })
}

async function download(
  deps: Deps,
  handlers: AllHandlers,
  running: Map<string, number>,
  req: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wanted = await exports.find(deps, (req.params as { secret: string }).secret)
  const { account_kid, language } = wanted
  const { format, name, columns, zone_id } = wanted.request
  const list = exports.listOf(wanted.request.path)
  const request: RequestInfo = { ...requestInfo(req), language }
  const release = enter(running, account_kid)
  try {
    const pages = walk(deps, handlers, list, wanted, request)
    // What refuses an export refuses its first page: it can still be said then.
    const first = await pages.next()
    await exports.take(deps, wanted.kid)
    const cells = exports.cellsOf(list.shape, columns, { zone_id, language })
    const stream = sheetStream({
      format,
      name,
      titles: columns.map(({ title }) => title),
      rows: rowsOf(first, pages, cells),
    })
    stream.once('close', release)
    stream.once('error', (error) => deps.log.warn({ err: error, path: list.call.path }, 'an export ended early'))
    const file = exportName(name, format)
    const content_type = contentTypeOf(file)
    return reply
      .headers({
        'cache-control': 'no-store',
        'content-disposition': disposition(file, content_type),
        'content-security-policy': "default-src 'none'; sandbox",
        'content-type': format === 'csv' ? `${content_type}; charset=utf-8` : content_type,
      })
      .send(stream)
  } catch (error) {
    release()
    throw error
  }
}

/** Takes one of the account's places and returns what gives it back. */
function enter(running: Map<string, number>, account_kid: string): () => void {
  const count = running.get(account_kid) ?? 0
  if (count >= at_once) throw new Refusal('too_many_requests', { seconds: 10 })
  running.set(account_kid, count + 1)
  let is_left = false
  return () => {
    if (is_left) return
    is_left = true
    const left = running.get(account_kid)! - 1
    if (left > 0) running.set(account_kid, left)
    else running.delete(account_kid)
  }
}

/** The list page by page, as the person who asked may see it at that moment. */
async function* walk(
  deps: Deps,
  handlers: AllHandlers,
  list: List,
  wanted: Export,
  request: RequestInfo,
): AsyncGenerator<Page, undefined> {
  const handler = handlers[list.group][list.name]!
  let after: string | undefined
  do {
    const session = await mayStill(deps, list, wanted)
    const input = exports.pageInput(list, wanted.request, after)
    if (!input.success) throw new Refusal('export_not_possible')
    const answer = list.call.output.parse(await handler(input.data, context(deps, request, session, [])))
    const page = list.has_pages ? (answer as Page) : onePage(answer as Row[], wanted.request.kids)
    yield page
    // A list that does not know cursors would begin anew for ever.
    after = page.next === after ? undefined : (page.next ?? undefined)
  } while (after !== undefined)
}

/** Rows that came or went since they were chosen are left out. */
function onePage(rows: Row[], kids: readonly string[] | undefined): Page {
  const by_kid = new Map(rows.map((row) => [row['kid'], row]))
  return { items: kids ? kids.flatMap((kid): Row[] => (by_kid.has(kid) ? [by_kid.get(kid)!] : [])) : rows, next: null }
}

async function mayStill(deps: Deps, { call }: List, wanted: Export): Promise<SignedIn> {
  const session = await sessionOf(deps, wanted.session_kid, wanted.account_kid)
  authorise(call, session)
  if (!session) throw new Refusal('unauthorized')
  return session
}

async function* rowsOf(
  first: IteratorResult<Page>,
  pages: AsyncGenerator<Page>,
  cells: (row: Row) => Cell[],
): AsyncGenerator<Cell[][]> {
  for (let page = first; !page.done; page = await pages.next()) yield page.value.items.map(cells)
}
