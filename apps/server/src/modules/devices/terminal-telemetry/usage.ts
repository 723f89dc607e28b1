import type { Answer, Contract } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { assertVisible } from '../../../db/visible.ts'
import { daysOf } from './span.ts'
import type { Asked } from './span.ts'

type Usage = Answer<Contract['terminalTelemetry']['calls']['list_usage']>

export async function listUsage(actor: Actor, asked: Asked): Promise<Usage> {
  const { scope } = actor
  const { terminal_kid } = asked
  await assertVisible(scope, terminal_kid)
  const { spans } = await daysOf(actor, asked)
  const first_day = spans[0]!.day
  const last_day = spans.at(-1)!.day
  const items = await scope
    .selectFrom('terminal_usage')
    .select(['day', 'app', 'network', 'received', 'sent'])
    .where('terminal_kid', '=', terminal_kid)
    .where('day', '>=', first_day)
    .where('day', '<=', last_day)
    .orderBy('day')
    .orderBy('app')
    .orderBy('network')
    .execute()
  const held = await scope
    .selectFrom('terminal_inventory')
    .select('packages')
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  const titles = new Map(held?.packages.map(({ name, title }) => [name, title]))
  const titleOf = (app: string) => (typeof titles.get(app) === 'string' ? (titles.get(app) as string) : null)
  return { first_day, last_day, items: items.map((item) => ({ ...item, title: titleOf(item.app) })) }
}
