import { constants, contract } from '@mdm/contract'
import { sql } from 'kysely'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    webhook_kid: string
    delivery_kid: string
  }
}

/** Webhooks, of customers and of the provider. */
export const webhook: Feature = {
  async make({ call, device }) {
    const webhook = await call.webhook.insert({
      name: `Sweep ${device.sn}`,
      url: 'https://192.0.2.1/hook',
      events: ['user.deleted'],
      is_enabled: false,
    })
    return { webhook_kid: webhook.kid, delivery_kid: (await call.webhook.ping({ kid: webhook.kid })).delivery_kid }
  },
  inputs: (t) => ({
    'webhook/list': {},
    'webhook/insert': {
      name: `New ${Math.random()}`,
      url: 'https://192.0.2.1/',
      events: ['operation_log'],
      is_enabled: false,
    },
    'webhook/update': {
      kid: t.webhook_kid,
      name: 'Swept',
      url: 'https://192.0.2.1/',
      events: ['operation_log'],
      is_enabled: false,
    },
    'webhook/renew_secret': { kid: t.webhook_kid },
    'webhook/delete': { kid: t.webhook_kid },
    'webhook/ping': { kid: t.webhook_kid },
    'webhook/paging_delivery': { webhook_kid: t.webhook_kid },
    'webhook/redeliver': { kid: t.delivery_kid },
    'ops/webhook/list': {},
    'ops/webhook/insert': {
      name: `New ${Math.random()}`,
      url: 'https://192.0.2.1/',
      events: ['account.created'],
      is_enabled: false,
    },
    'ops/webhook/update': {
      kid: t.log_kid,
      name: 'Swept',
      url: 'https://192.0.2.1/',
      events: ['account.created'],
      is_enabled: false,
    },
    'ops/webhook/renew_secret': { kid: t.log_kid },
    'ops/webhook/delete': { kid: t.log_kid },
    'ops/webhook/ping': { kid: t.log_kid },
    'ops/webhook/paging_delivery': { webhook_kid: t.log_kid },
    'ops/webhook/redeliver': { kid: t.log_kid },
  }),
  refusals: (s) => ({ ...refusals(s, 'webhook'), ...refusals(s, 'opsWebhook') }),
  tables: ['webhook'],
  open_to: { 'webhook/insert': ['operator inside', 'customer', 'sub-account', 'manager of one group'] },
}

/** Of a customer, or of the provider. */
function refusals({ root, operator, unique, deps }: Stage, group: 'webhook' | 'opsWebhook'): Refusals {
  const who = group === 'webhook' ? root : operator
  const { insert, update, ping, redeliver } = contract[group].calls
  const draft = (name = unique('Hook')) => ({
    name,
    url: 'https://192.0.2.1/',
    events: ['operation_log' as const],
    is_enabled: false,
  })
  /** Webhooks of these names and no others. */
  const only = async (...names: string[]) => {
    for (const { kid } of await who[group].list({})) await who[group].delete({ kid })
    const made = []
    for (const name of names) made.push((await who[group].insert(draft(name))).kid)
    return made.at(-1)!
  }
  /** A webhook for which as many messages wait as may: its kid, and that of one of them. */
  const full = async () => {
    const webhook_kid = await only('Full')
    const { delivery_kid } = await who[group].ping({ kid: webhook_kid })
    await sql`
      INSERT INTO webhook_delivery (kid, account_kid, webhook_kid, event, payload, next_at, created_at)
      SELECT gen_random_uuid(), account_kid, kid, 'operation_log', '{"id": "1"}', now() + interval '1 day', now()
      FROM webhook, generate_series(1, ${constants.webhook_waiting_max}::integer) WHERE kid = ${webhook_kid}`.execute(
      deps.db,
    )
    return { webhook_kid, delivery_kid }
  }
  const inside = 'http://127.0.0.1/'
  return {
    ...refusalsOf(insert, who, {
      duplicate_name: async () => {
        await only('Held')
        return draft('HELD')
      },
      webhook_address_refused: () => ({ ...draft(), url: inside }),
      webhook_limit: async () => {
        await only(...Array.from({ length: constants.webhooks_max }, () => unique('Hook')))
        return draft()
      },
    }),
    ...refusalsOf(update, who, {
      duplicate_name: async () => ({ ...draft('first'), kid: await only('First', 'Second') }),
      webhook_address_refused: async () => ({ ...draft(), kid: await only('Only'), url: inside }),
    }),
    ...refusalsOf(ping, who, { webhook_full: async () => ({ kid: (await full()).webhook_kid }) }),
    ...refusalsOf(redeliver, who, { webhook_full: async () => ({ kid: (await full()).delivery_kid }) }),
  }
}
