import { randomUUID } from 'node:crypto'
import { constants, contract, tagLimits } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { World } from '../../world.ts'
import type { Feature } from '../feature.ts'
import { tenants } from '../kinds.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    terminal_kid: string
    scrap_kid: string
  }
}

const calls = contract.terminal.calls
const long = 'x'.repeat(37)

/** Devices: their list, what is done to them, and how they leave. */
export const terminal: Feature = {
  async make({ w, customer, device }) {
    return { terminal_kid: device.kid, scrap_kid: await makeScrap(w, customer, device.kid) }
  },
  inputs: (t) => ({
    'terminal/paging': {
      terminal_group_kid: t.group_kid,
      where: {
        all: [
          { field: 'terminal_group_kid', op: 'is_within', value: [t.group_kid] },
          { any: [{ field: 'custom_field', custom_field_kid: t.custom_field_kid, op: 'is', value: 'x' }] },
        ],
      },
      terminal_dynamic_group_kid: t.dynamic_group_kid,
    },
    'terminal/count': { match: { text: 'sweep' } },
    'terminal/list_tag': {},
    'terminal/update_fields': {
      terminal_kids: [t.terminal_kid],
      fields: { [t.custom_field_kid]: 'Swept' },
      tags: { add: ['swept'] },
    },
    'terminal/facets': {},
    'terminal/list_low_storage': {},
    'terminal/list_quarantined': {},
    'terminal/list_online': {},
    'terminal/get': { kid: t.terminal_kid },
    'terminal/paging_event': { terminal_kid: t.terminal_kid },
    'terminal/list_refusal': { terminal_kid: t.terminal_kid },
    'terminal/list_run': { terminal_kid: t.terminal_kid },
    'terminal/update_note': { kid: t.terminal_kid, note: 'Swept' },
    'terminal/update': { kid: t.terminal_kid, name: 'Swept' },
    'terminal/move_group_batch': { terminal_kids: [t.terminal_kid], terminal_group_kid: t.group_kid },
    'terminal/renew_secret': { kid: t.terminal_kid },
    'terminal/lift_quarantine': { kid: t.terminal_kid },
    'terminal/batch_cancel': { terminalKids: [t.terminal_kid], confirm: 'DELETE' },
    'terminal/batch_scrap': { terminalKids: [t.terminal_kid], confirm: 'DELETE' },
    'terminal/list_scrap_schedule': {},
    'terminal/cancel_scrap_schedule': { schedule_version: t.scrap_kid },
  }),
  refusals: (s) => ({ ...changes(s), ...removals(s) }),
  tables: ['terminal', 'terminal_tag', 'scrap_schedule'],
  not_found: ['device_not_found'],
  open_to: {
    'terminal/paging': tenants.filter((kind) => kind !== 'nobody in particular'),
    'terminal/update': ['operator inside', 'customer', 'sub-account', 'manager', 'manager of one group', 'API token'],
  },
  destructive: [calls.batch_cancel, calls.batch_scrap],
}

/** A device that waits to be scrapped, longer than any test takes. */
async function makeScrap(w: World, customer: number, terminal_kid: string): Promise<string> {
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

function changes(s: Stage): Refusals {
  const { root, device, unique } = s
  const other = s.w.customers[1]!
  return {
    ...refusalsOf(calls.update, root, {
      alias_too_long: () => ({ kid: device, name: long }),
      alias_has_percent: () => ({ kid: device, name: '100%' }),
    }),
    ...refusalsOf(calls.move_group_batch, root, {
      group_unknown: () => ({ terminal_kids: [device], terminal_group_kid: unknownKid }),
      device_not_found: () => ({ terminal_kids: [device, unknownKid], terminal_group_kid: 'NO_GROUP' }),
    }),
    ...refusalsOf(calls.update_fields, root, {
      device_not_found: () => ({ terminal_kids: [device, unknownKid], tags: { add: ['x'] } }),
      custom_field_unknown: () => ({ kid: device, fields: { [unknownKid]: 'x' } }),
      custom_field_value_wrong: async () => ({
        kid: device,
        fields: { [(await root.customField.insert({ name: unique('Field'), kind: 'number' })).kid]: 'x' },
      }),
      device_tags_limit: async () => {
        await root.terminal.update_fields({ kid: device, tags: { add: names('t', tagLimits.of_device) } })
        return { kid: device, tags: { add: ['one more'] } }
      },
      account_tags_limit: async () => {
        const kid = await s.absentDevice(other)
        await fillTags(s, s.w.seed.customers[1]!.account_kid)
        return by(other, { kid, tags: { add: ['one more'] } })
      },
    }),
  }
}

/** As many tags as an account may have, all of them on devices. */
async function fillTags({ deps }: Stage, account_kid: string): Promise<void> {
  const { db, clock } = deps
  const of_devices = Array.from({ length: tagLimits.of_account / tagLimits.of_device }, (_, n) =>
    names(`of ${n} `, tagLimits.of_device),
  )
  const device = { account_kid, claim_hash: Buffer.alloc(1), registered_at: clock.now() }
  await db
    .insertInto('terminal')
    .values(of_devices.map((tags) => ({ ...device, kid: randomUUID(), sn: tags[0]!, tags })))
    .execute()
  await db
    .insertInto('terminal_tag')
    .values(of_devices.flat().map((name) => ({ account_kid, name })))
    .execute()
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

function removals(s: Stage): Refusals {
  const { root, device, deps } = s
  return {
    ...refusalsOf(calls.batch_cancel, root, {
      device_not_found: () => ({ terminalKids: [device, unknownKid], confirm: 'DELETE' }),
      confirm_text_wrong: () => ({ terminalKids: [device], confirm: 'delete' }),
      match_changed: () => ({ match: { text: 'nothing like this' }, expected_count: 1, confirm: 'DELETE' }),
    }),
    ...refusalsOf(calls.batch_scrap, root, {
      device_not_found: () => ({ terminalKids: [device, unknownKid], confirm: 'DELETE' }),
      confirm_text_wrong: () => ({ terminalKids: [device], confirm: 'delete' }),
      match_changed: () => ({ match: { text: 'nothing like this' }, expected_count: 1, confirm: 'DELETE' }),
      scrap_limit: async () => {
        const other = s.w.customers[1]!
        const { account_kid } = s.w.seed.customers[1]!
        const scrapped_at = deps.clock.now()
        const values = Array.from({ length: constants.scrapped_per_hour }, (_, n) => ({
          sn: `LATELY-${n}`,
          account_kid,
          scrapped_at,
        }))
        await deps.db.insertInto('scrapped_sn').values(values).execute()
        return by(other, { terminalKids: [await s.absentDevice(other)], confirm: 'DELETE' })
      },
    }),
    ...refusalsOf(contract.terminalScrap.calls.cancel_scrap_schedule, root, {
      scrap_not_waiting: async () => {
        const schedule_version = await makeScrap(s.w, 0, device)
        const done = { state: 'done', finished_at: deps.clock.now() } as const
        await deps.db.updateTable('scrap_schedule').set(done).where('kid', '=', schedule_version).execute()
        return { schedule_version }
      },
    }),
  }
}
