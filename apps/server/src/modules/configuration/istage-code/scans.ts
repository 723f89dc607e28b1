import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { readPage } from '../../../db/paging.ts'
import type { ActorWith } from '../../../http/context.ts'
import { readConfig } from '../istage/index.ts'
import { inWords } from '../../../lib/event-words.ts'

type Input = In<Contract['istageCode']['calls']['paging_scan']>

/** What became of a configuration on the devices that scanned it; the conditions are those of the index `terminal_event_staging`. */
export async function pagingScan(actor: ActorWith<'request'>, input: Input) {
  await readConfig(actor, input.kid)
  const page = await readPage({
    query: actor.scope
      .selectFrom('terminal_event')
      .innerJoin('terminal', 'terminal.kid', 'terminal_event.terminal_kid')
      .select(['terminal_event.kid', 'terminal_event.terminal_kid', 'terminal.sn', 'terminal.name'])
      .select(['terminal_event.type', 'terminal_event.at', 'terminal_event.received_at', 'terminal_event.detail'])
      .where(sql`left(terminal_event.detail ->> 'config', 36)`, '=', input.kid)
      .where(sql<boolean>`terminal_event.type = 'staging'`),
    input,
    columns: { at: { ref: sql`terminal_event.at`, order: 'desc' } },
    key: sql`terminal_event.kid`,
  })
  return { ...page, items: page.items.map((row) => inWords(row, actor.request.language)) }
}
