import { alertLimits, contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    alert_rule_kid: string
    alert_kid: string
  }
}

const { alertRule, alert: alerts } = contract
const draft = (name: string) => ({ name, watch: { kind: 'battery' as const, params: { percent: 20 } }, is_on: false })
const of_account = { watch: { kind: 'account_expiry' as const, params: { days: 30 } }, is_noncompliant: true }

/** Rules about devices, and the alerts that come of them. */
export const alert: Feature = {
  async make({ call, w, customer, device }) {
    const { kid } = await call.alertRule.insert(draft('Sweep'))
    const alert_kid = await openAlert(w.server.deps.db, w.seed.customers[customer]!.account_kid, kid, device.kid)
    return { alert_rule_kid: kid, alert_kid }
  },
  inputs: (t) => ({
    'alert_rule/paging': {},
    'alert_rule/insert': draft(`New ${Math.random()}`),
    'alert_rule/update': { kid: t.alert_rule_kid, ...draft('Sweep') },
    'alert_rule/delete': { kid: t.alert_rule_kid },
    'alert_rule/preview': { watch: draft('').watch, match: { terminal_group_kid: t.group_kid } },
    'alert_rule/check_mail': {},
    'alert_rule/silence': { kid: t.alert_rule_kid, hours: 1 },
    'alert/paging': { rule_kid: t.alert_rule_kid },
    'alert/get': { kid: t.alert_kid },
    'alert/list_open': {},
    'alert/paging_terminal': { alert_kid: t.alert_kid },
    'alert/list_by_terminal': { terminal_kid: t.terminal_kid },
    'alert/acknowledge': { kid: t.alert_kid },
    'alert/acknowledge_batch': { kids: [t.alert_kid] },
    'alert/resolve': { kid: t.alert_kid },
    'alert/resolve_batch': { kids: [t.alert_kid] },
    'alert/list_assignee': { kids: [t.alert_kid] },
    'alert/assign': { alerts: [{ kid: t.alert_kid }], assignee_kid: null },
    'alert/update_note': { kid: t.alert_kid, note: 'Sweep' },
    'alert/list_history': { kid: t.alert_kid },
    'alert/get_origin': { kid: t.alert_kid },
  }),
  refusals,
  tables: ['alert_rule', 'alert'],
}

type Db = Stage['deps']['db']
async function openAlert(db: Db, account_kid: string, rule_kid: string, terminal_kid: string): Promise<string> {
  const kid = rule_kid.replace(/^......../, 'a1e27000')
  const now = new Date()
  await db
    .insertInto('alert')
    .values({
      kid,
      account_kid,
      rule_kid,
      name: 'Sweep',
      kind: 'battery',
      severity: 'info',
      created_by_kid: unknownKid,
      count: 1,
      peak: 1,
      opened_at: now,
      told_at: now,
    })
    .execute()
  await db
    .insertInto('alert_device')
    .values({ alert_kid: kid, terminal_kid, account_kid, sn: 'X', name: '', fired_at: now })
    .execute()
  return kid
}

function refusals({ root, unique, user, deps, customer_kid, device }: Stage): Refusals {
  const made = async (name = unique('Rule')) => (await root.alertRule.insert(draft(name))).kid
  const move = { type: 'move' as const, terminal_group_kid: unknownKid }
  const ended = async () => {
    const kid = await openAlert(deps.db, customer_kid, await made(), device)
    await root.alert.resolve({ kid })
    return { kid }
  }
  return {
    ...refusalsOf(alertRule.calls.insert, root, {
      duplicate_name: async () => {
        await made('Taken')
        return draft('TAKEN')
      },
      alert_of_account: () => ({ ...draft(unique('Rule')), ...of_account }),
      group_unknown: () => ({ ...draft(unique('Rule')), action: move }),
      alert_rule_limit: async () => {
        const { kid: _, ...row } = await deps.db
          .selectFrom('alert_rule')
          .selectAll()
          .where('kid', '=', await made())
          .executeTakeFirstOrThrow()
        const copies = Array.from({ length: alertLimits.rules }, (_each, n) => ({
          ...row,
          kid: `00000000-0000-7000-8002-${String(n).padStart(12, '0')}`,
          name: `Copy ${n}`,
          params: JSON.stringify(row.params),
          match: null,
        }))
        await deps.db.insertInto('alert_rule').values(copies).execute()
        return draft(unique('Rule'))
      },
    }),
    ...refusalsOf(alertRule.calls.update, root, {
      duplicate_name: async () => {
        await deps.db.deleteFrom('alert_rule').where('name', 'like', 'Copy %').execute()
        await made('Held')
        return { kid: await made(), ...draft('held') }
      },
      alert_of_account: async () => ({ kid: await made(), ...draft(unique('Rule')), ...of_account }),
      group_unknown: async () => ({ kid: await made(), ...draft(unique('Rule')), action: move }),
    }),
    ...refusalsOf(alerts.calls.acknowledge, root, { alert_not_open: ended }),
    ...refusalsOf(alerts.calls.resolve, root, { alert_not_open: ended }),
    ...refusalsOf(alerts.calls.assign, root, {
      alert_assignee_unfit: async () => {
        // Without a role nobody may see alerts.
        const blind = await user(customer_kid, 3, [])
        const kid = await openAlert(deps.db, customer_kid, await made(), device)
        return { alerts: [{ kid }], assignee_kid: blind.kid }
      },
    }),
    ...refusalsOf(alerts.calls.update_note, root, {
      conflict: async () => {
        const kid = await openAlert(deps.db, customer_kid, await made(), device)
        return { kid, note: 'Later', from_note: 'As it was' }
      },
    }),
  }
}
