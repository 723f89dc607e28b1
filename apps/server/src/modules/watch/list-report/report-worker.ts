import { reportLimits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { ClaimLost, withClaim } from '../../../db/claim.ts'
import type { Claim } from '../../../db/claim.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { exportName } from '../../../files/names.ts'
import type { RequestInfo } from '../../../http/context.ts'
import type { AllHandlers } from '../../../http/mount.ts'
import { personNow } from '../../../http/session.ts'
import { wake } from '../../../lib/background.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { Refusal, remembered } from '../../../refusal.ts'
import { sheetStream } from '../../../workers/sheet.ts'
import type { Cell } from '../../../workers/sheet.ts'
import { mails, queueMail } from '../../people/mail/index.ts'
import { cellsOf, listOf, mayRead, walkList } from '../list-export/index.ts'
import { inputOf } from './input.ts'
import { addressOf, mailOf } from './report-mail.ts'
import { nextReport, oneSpanBefore, rhythmFields } from './rhythm.ts'

type Row = Selectable<Tables['list_report']>
/** Undefined of a file that is too large for a mail. */
type Made = { rows: number; file: Buffer } | undefined
const most_attempts = 3
/** Between one attempt at a report and the next. */
const retry_ms = 60_000

/**
 * Mails reports that are due, as the lists' own calls answer them. Due once, however many times were missed. The mail and the
 * next time are one transaction: a report whose server is gone is made again by another, and mailed once.
 */
export const listReports = (handlers: AllHandlers): SharedWork => ({
  name: 'list_reports',
  every_ms: 5_000,
  // A large one of one customer does not make others wait.
  at_once: 2,
  by_age: true,
  run: (deps) => {
    const wanted = {
      states: ['on'],
      order: sql`r.next_at NULLS FIRST`,
      at_once_of_customer: 1,
      set: sql`attempts = r.attempts + 1`,
    }
    return withClaim(deps, 'list_report', wanted, (claim) => send(deps, handlers, claim))
  },
})

async function send(deps: Deps, handlers: AllHandlers, { row, set }: Claim<'list_report'>): Promise<void> {
  const now = deps.clock.now()
  const done = { worked_by: null, attempts: 0, last_at: now }
  try {
    const address = await addressOf(deps, row.user_kid)
    const made = await make(deps, handlers, row, now)
    await deps.db.transaction().execute(async (trx) => {
      await queueMail(trx, deps, {
        ...{ kind: 'report', account_kid: row.account_kid, address, ...mailOf(deps, row, made?.rows) },
        ...(made && { attachment: { name: fileName(row, now), content: made.file } }),
      })
      const said = {
        last_outcome: made ? 'mailed' : 'linked',
        last_rows: made?.rows ?? null,
        last_error: null,
      } as const
      await set({ ...done, ...said, sent_at: now, next_at: await nextOf(trx, row, now) }, trx)
    })
    wake(deps, mails)
  } catch (error) {
    if (error instanceof ClaimLost) throw error
    const failed = { last_outcome: 'failed', last_rows: null, last_error: remembered(error) } as const
    // Who lost the right gets nothing until they have looked at it. Mail is set up for everybody.
    if (error instanceof Refusal && error.refusal !== 'report_mail_off')
      return set({ ...done, ...failed, state: 'paused', next_at: null })
    deps.log.warn({ err: error, list_report_kid: row.kid }, 'a report was not made')
    if (!(error instanceof Refusal) && row.attempts < most_attempts)
      return set({ worked_by: null, next_at: new Date(now.getTime() + retry_ms) })
    if (!(error instanceof Refusal)) deps.onInternalError?.(error)
    await set({ ...done, ...failed, next_at: await nextOf(deps.db, row, now) })
  }
}

/** By the times that it has by now: it may have been changed while it was made. */
async function nextOf(db: Kysely<Tables>, row: Row, now: Date): Promise<Date> {
  const is = await db.selectFrom('list_report').select(rhythmFields).where('kid', '=', row.kid).executeTakeFirst()
  return nextReport(is ?? row, now)
}

/** 'Offline devices 2026-01-31.csv', by the clock of its zone. */
function fileName({ name, zone_id, request }: Row, now: Date): string {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone_id, dateStyle: 'short' }).format(now)
  return exportName(`${name} ${day}`, request.format)
}

/** The file, with what the person may see today. @throws what the list refuses them */
async function make(deps: Deps, handlers: AllHandlers, row: Row, now: Date): Promise<Made> {
  const { request, language, zone_id, name } = row
  const list = listOf(request.path)
  const readPerson = async () => {
    const person = await personNow(deps, row.user_kid, row.account_kid)
    // There is no session that could have ended: this is somebody who may not sign in.
    if (!person) throw new Refusal('no_permission')
    return person
  }
  const input = inputOf(request, { from: row.sent_at ?? oneSpanBefore(row, now), until: now })
  const pages = walkList(deps, handlers, {
    list,
    request: { input },
    by: requestOf(row),
    mayStill: () => mayRead(list, readPerson),
  })
  // What refuses the list refuses its first page.
  const first = await pages.next()
  const cells = cellsOf(list.shape, request.columns, { zone_id, language })
  let rows = 0
  async function* batches(): AsyncGenerator<Cell[][]> {
    for (let page = first; !page.done; page = await pages.next()) {
      rows += page.value.items.length
      yield page.value.items.map(cells)
    }
  }
  const titles = request.columns.map(({ title }) => title)
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of sheetStream({ format: request.format, name, titles, rows: batches() })) {
    bytes += (piece as Buffer).length
    if (bytes > reportLimits.attachment_bytes) return undefined
    pieces.push(piece as Buffer)
  }
  return { rows, file: Buffer.concat(pieces) }
}

/** Nobody asks: the list is read as if the person did, from nowhere. */
const requestOf = ({ language }: Row): RequestInfo => ({
  ...{ kid: newKid(), address: '', user_agent: '', url: '', method: 'POST', content_type: null, content_length: 0 },
  ...{ timestamp: null, language },
})
