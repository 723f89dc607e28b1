import { ltscopes } from '@mdm/contract'
import type { Actor } from '../../../../actor.ts'
import { settingsOf } from './effective.ts'
import { platformRows } from './platform-rows.ts'

const columns = [
  'section',
  'ltscope',
  'terminal_group_kid',
  'terminal_kid',
  'value',
  'updated_at',
  'updated_by',
] as const

/** Rows of one account and the platform's, those of other devices left out: there may be one for every device. */
export async function settingsFor({ deps, scope }: Actor, terminal_kid: string | null) {
  const own = await scope
    .selectFrom('terminal_config')
    .select(columns)
    .where((eb) => eb.or([eb('ltscope', '<', ltscopes.terminal), eb('terminal_kid', '=', terminal_kid)]))
    .execute()
  return settingsOf([...own, ...(await platformRows(deps))])
}
export type Own = ReturnType<Awaited<ReturnType<typeof settingsFor>>>
