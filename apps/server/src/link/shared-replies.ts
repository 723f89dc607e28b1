import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { limiterOf } from '../lib/rate-limit.ts'
import type { openRequests } from './requests.ts'

const channel = 'mdm_reply'
/** Of one device: one that answers what nobody asked shall not fill the disk with it. Of its progress some may be left out. */
const forwarded = { limit: 60, per_ms: 60_000 }
/** Whoever asked is told at once, so that an older row is one that nobody wants. */
const kept_s = 60

type Notice = { kid: string; request_kid: string }

/**
 * Answers of devices that reach another server than the one that asked: an external broker hands each message to any of them. The
 * answer is a row, as it may be larger than a notification; whoever asked fetches it.
 */
export async function shareReplies(
  deps: Deps,
  requests: Pick<ReturnType<typeof openRequests>, 'isAsked' | 'reply'>,
): Promise<{ forward(terminal_kid: string, body: Up['reply']): Promise<void>; close(): void }> {
  const { db, database } = deps
  async function fetch({ kid, request_kid }: Notice): Promise<void> {
    if (!requests.isAsked(request_kid)) return
    const row = await db
      .deleteFrom('link_reply')
      .where('kid', '=', kid)
      .returning(['terminal_kid', 'body'])
      .executeTakeFirst()
    if (row) requests.reply(row.terminal_kid, JSON.parse(row.body) as Up['reply'])
  }
  const close = await database.listen(channel, (payload) => {
    fetch(JSON.parse(payload) as Notice).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'an answer of a device was not fetched from the server that it reached'),
    )
  })
  return {
    async forward(terminal_kid, body) {
      const what = body.progress === undefined ? 'answers to other servers' : 'progress told to other servers'
      if (limiterOf(deps, what, forwarded).take(terminal_kid) > 0) return
      const kid = newKid()
      // By the clock of the database, as those of servers differ.
      await sql`DELETE FROM link_reply WHERE at < now() - make_interval(secs => ${kept_s})`.execute(db)
      await db
        .insertInto('link_reply')
        .values({ kid, terminal_kid, body: JSON.stringify(body) })
        .execute()
      await database.notify(channel, JSON.stringify({ kid, request_kid: body.id } satisfies Notice))
    },
    close,
  }
}
