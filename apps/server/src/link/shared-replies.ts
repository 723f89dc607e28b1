import type { Up } from '@mdm/device-link'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { limiterOf } from '../lib/rate-limit.ts'
import type { openRequests } from './requests.ts'

const channel = 'mdm_reply'
/** Answers of one device to what this server has not asked: more come of none that only answers. */
const forwarded = { limit: 600, per_ms: 60_000 }

type Notice = { kid: string; request_kid: string }

/**
 * Answers of devices that reach another server than the one that asked: an external broker hands each message to any of them. The
 * answer is a row, as it may be larger than a notification; whoever asked fetches it.
 */
export async function shareReplies(
  deps: Deps,
  requests: Pick<ReturnType<typeof openRequests>, 'isAsked' | 'reply'>,
): Promise<{ forward(terminal_kid: string, body: Up['reply']): Promise<void>; close(): void }> {
  const { db, database, clock } = deps
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
      if (limiterOf(deps, 'answers to other servers', forwarded).take(terminal_kid) > 0) return
      const kid = newKid()
      await db
        .insertInto('link_reply')
        .values({ kid, terminal_kid, body: JSON.stringify(body), at: clock.now() })
        .execute()
      await database.notify(channel, JSON.stringify({ kid, request_kid: body.id } satisfies Notice))
    },
    close,
  }
}
