import { pushKindOf } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import { ordererOf } from '../../../actor.ts'
import type { Reach } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { reachToday } from '../../../http/reach-today.ts'
import type { Revoked } from '../../../http/reach-today.ts'

/** Of whoever created a push, or had it made. */
export const creatorsReach = (
  trx: Kysely<Tables>,
  task: Selectable<Tables['push_task']>,
  now: Date,
): Promise<Reach | Revoked> => reachToday(trx, ordererOf(task), pushKindOf(task.type).needs, now)
