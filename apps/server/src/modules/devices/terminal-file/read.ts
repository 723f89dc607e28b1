import type { DeviceTransfer, In, Contract } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'
import { assertVisible } from '../../../db/visible.ts'
import type { Row } from './transfers.ts'

type Input = In<Contract['terminalFile']['calls']['paging']>

/** Transfers of one device, newest first: its files, or its logs. */
export async function pagingTransfers({ deps, scope }: Actor, input: Input, what: 'files' | 'logs') {
  await assertVisible(scope, input.terminal_kid)
  const page = await readPage({
    query: scope
      .selectFrom('device_transfer')
      .selectAll()
      .where('terminal_kid', '=', input.terminal_kid)
      .where('kind', what === 'logs' ? '=' : '<>', 'log'),
    input,
    columns: { created_at: { ref: sql`created_at`, order: 'desc' } },
    key: sql`kid`,
  })
  return { ...page, items: page.items.map((row) => shown(deps, row)) }
}

/** What came from a device is only ever given out as a file to keep, whatever its name says that it is. */
export function shown(deps: Deps, { object, created_at, finished_at, expires_at, ...row }: Row): DeviceTransfer {
  const is_there = object !== null && row.state === 'completed'
  return {
    ...row,
    url: is_there ? deps.signFile(object, { name: row.name }) : null,
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    expires_at: expires_at.toISOString(),
  }
}
