import { newKid } from '@mdm/server/lib/ids.ts'
import type { World } from '../world.ts'
import type { Things } from './inputs.ts'

const row = { sn: 'NOBODY', work_order: 'WO' }

/** A device that waits to be scrapped, longer than any test takes. */
export async function makeScrap(w: World, customer: number, terminal_kid: string): Promise<string> {
  const { deps } = w.server
  const { account_kid, root } = w.seed.customers[customer]!
  const kid = newKid()
  const now = deps.clock.now()
  await deps.db
    .insertInto('scrap_schedule')
    .values({
      kid,
      account_kid,
      terminal_kids: [terminal_kid],
      total: 1,
      created_by_kid: root.user_kid,
      created_by: 'Sweep',
      created_at: now,
      due_at: new Date(now.getTime() + 86_400_000),
    })
    .execute()
  return kid
}

/** An input that parses for every call about scrapping and policies. Policies are nobody's: any kid does. */
export function lifeInputs(t: Things): Record<string, Record<string, unknown>> {
  const policy_kid = t.log_kid
  const version = () => `sweep-${Math.random()}`
  return {
    'terminal/batch_scrap': { terminalKids: [t.terminal_kid], confirm: 'DELETE' },
    'terminal/list_scrap_schedule': {},
    'terminal/cancel_scrap_schedule': { schedule_version: t.scrap_kid },
    'ops/terminal/paging_scrapped': {},
    'ops/terminal/restore': { sns: ['NOBODY'] },
    'ops/policy/paging': {},
    'ops/policy/exists': { name: 'Sweep' },
    'ops/policy/insert': { name: `Sweep ${Math.random()}`, days: 30 },
    'ops/policy/update': { kid: policy_kid, name: `Sweep ${Math.random()}`, days: 30 },
    'ops/policy/delete': { kid: policy_kid },
    'ops/policy/paging_terminal': { policy_kid },
    'ops/policy/delete_terminal': { kids: [policy_kid] },
    'ops/policy/import/terminal/policy': {
      importTerminalDtos: [row],
      policyKid: policy_kid,
      schedule_version: version(),
    },
    'ops/policy/import/mes/terminal/policy': {
      importTerminalDtos: [{ ...row, production_date: '2026-01-31' }],
      policyKid: policy_kid,
      schedule_version: version(),
    },
    'ops/policy/get/import/terminal/policy/schedule': { policy_kid, schedule_version: 'sweep' },
    'ops/policy/list_import': { policy_kid },
    'ops/policy/cancel_import': { policy_kid, schedule_version: 'sweep' },
    'ops/policy/import_result': { policy_kid, schedule_version: 'sweep' },
    'ops/policy/import_template': { source: 'mes' },
    'ops/policy/preview_import': { upload_kid: t.upload_kid, policy_kid, source: 'sheet' },
  }
}
