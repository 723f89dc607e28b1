import { pushKindOf } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Reach } from '../../actor.ts'
import type { Tables } from '../../db/schema/tables.ts'
import { reachToday } from '../../http/reach-today.ts'

/** Of whoever created a push, or had it made. */
export const creatorsReach = (
  trx: Kysely<Tables>,
  { account_kid, created_by_kid, type }: { account_kid: string; created_by_kid: string; type: PushTaskType },
  now: Date,
): Promise<Reach | 'none'> => reachToday(trx, { account_kid, user_kid: created_by_kid }, pushKindOf(type).needs, now)
