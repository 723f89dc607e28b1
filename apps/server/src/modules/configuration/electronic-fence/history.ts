import type { Contract, FenceEventRow, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { readPage } from '../../../db/paging.ts'
import type { ActorWith } from '../../../http/context.ts'
import { inWords } from '../../../lib/event-words.ts'
import { assertThere } from './fence-places.ts'

type Input = In<Contract['electronicFence']['calls']['paging_event']>

/** The conditions are those of the index `terminal_event_fence`. */
export const eventsOf = ({ scope }: Pick<Actor, 'scope'>, { kid, type }: Pick<Input, 'kid' | 'type'>) =>
  scope
    .selectFrom('terminal_event')
    .innerJoin('terminal', 'terminal.kid', 'terminal_event.terminal_kid')
    .select([
      'terminal_event.kid',
      'terminal_event.terminal_kid',
      'terminal.sn',
      'terminal.name',
      sql<FenceEventRow['type']>`terminal_event.type`.as('type'),
      'terminal_event.at',
      'terminal_event.received_at',
      'terminal_event.detail',
    ])
    .where(sql`left(terminal_event.detail ->> 'fence_kid', 36)`, '=', kid)
    .where(sql<boolean>`terminal_event.type IN ('fence_in', 'fence_out', 'fence_action')`)
    .$if(type !== undefined, (q) => q.where('terminal_event.type', '=', type!))

/** What happened to the devices of a fence that are visible: which left, which came back, and what was done about it. */
export async function pagingEvent(actor: ActorWith<'request'>, input: Input) {
  await assertThere(actor.scope, input.kid)
  const page = await readPage({
    query: eventsOf(actor, input),
    input,
    columns: { at: { ref: sql`terminal_event.at`, order: 'desc' } },
    key: sql`terminal_event.kid`,
  })
  return { ...page, items: page.items.map((row) => inWords(row, actor.request.language)) }
}
