import { pushKindOf } from '@mdm/contract'
import type { Kysely, Selectable } from 'kysely'
import { issuerOf } from '../../../actor.ts'
import type { VisibleGroups } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { visibleGroupsNow } from '../../../http/visible-groups-now.ts'
import type { Revoked } from '../../../http/visible-groups-now.ts'

/** Of whoever created a push, or had it made. */
export const creatorsVisibleGroups = (
  trx: Kysely<Tables>,
  task: Selectable<Tables['push_task']>,
  now: Date,
): Promise<VisibleGroups | Revoked> => visibleGroupsNow(trx, issuerOf(task), pushKindOf(task.type).needs, now)
