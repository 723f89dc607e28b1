import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { contentTypeOf, disposition, exportName } from '../../../files/names.ts'
import { sheetStream } from '../../../workers/sheet.ts'
import type { Cell } from '../../../workers/sheet.ts'
import * as exports from './index.ts'
import { mayRead, walkList } from './walk.ts'
import type { Page, Row } from './walk.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestInfo } from '../../../http/context.ts'
import type { AllHandlers } from '../../../http/mount.ts'
import { requestInfo } from '../../../http/request.ts'
import { sessionOf } from '../../../http/session.ts'

/** Of one account, on this server: an export reads a whole list. */
const at_once = 2

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
    const mayStill = () => mayRead(list, () => sessionOf(deps, wanted.session_kid, account_kid))
    const pages = walkList(deps, handlers, { list, request: wanted.request, by: request, mayStill })
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

async function* rowsOf(
  first: IteratorResult<Page>,
  pages: AsyncGenerator<Page>,
  cells: (row: Row) => Cell[],
): AsyncGenerator<Cell[][]> {
  for (let page = first; !page.done; page = await pages.next()) yield page.value.items.map(cells)
}
