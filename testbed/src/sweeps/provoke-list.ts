import { randomUUID } from 'node:crypto'
import { contract, customFieldLimits, dynamic_groups_max, tagLimits } from '@mdm/contract'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const terminal = contract.terminal.calls
const customField = contract.customField.calls
const dynamicGroup = contract.terminalDynamicGroup.calls
const where = { all: [{ field: 'is_online' as const, op: 'is' as const, value: true }] }

/** Fields, tags and dynamic groups of devices, and what is done to all that match. */
export function listProvocations(s: Stage): Provocations {
  const { root, device, unique } = s
  const field = async (kind: 'text' | 'number', who = root) =>
    (await who.customField.insert({ name: unique('Field'), kind })).kid
  const other = s.w.customers[1]!
  return {
    ...ways(customField.insert, root, {
      duplicate_name: async () => {
        await root.customField.insert({ name: 'Taken', kind: 'text' })
        return { name: 'TAKEN', kind: 'text' }
      },
      custom_field_limit: async () => {
        await times(customFieldLimits.fields, () => field('text', other))
        return by(other, { name: 'One more', kind: 'text' })
      },
    }),
    ...ways(customField.update, root, {
      duplicate_name: async () => {
        await root.customField.insert({ name: 'Held', kind: 'text' })
        return { kid: await field('text'), name: 'held', kind: 'text' }
      },
      custom_field_kind_fixed: async () => ({ kid: await field('text'), name: unique('Field'), kind: 'number' }),
    }),
    ...ways(terminal.update_fields, root, {
      device_not_found: () => ({ terminal_kids: [device, nowhere], tags: { add: ['x'] } }),
      custom_field_unknown: () => ({ kid: device, fields: { [nowhere]: 'x' } }),
      custom_field_value_wrong: async () => ({ kid: device, fields: { [await field('number')]: 'x' } }),
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
    ...ways(terminal.batch_cancel, root, {
      match_changed: () => ({ match: { text: 'nothing like this' }, expected_count: 1, confirm: 'DELETE' }),
    }),
    ...ways(dynamicGroup.insert, root, {
      duplicate_name: async () => {
        await root.terminalDynamicGroup.insert({ name: 'Taken', where })
        return { name: 'TAKEN', where }
      },
      dynamic_group_limit: async () => {
        await times(dynamic_groups_max, () => other.terminalDynamicGroup.insert({ name: unique('Dynamic'), where }))
        return by(other, { name: 'One more', where })
      },
    }),
    ...ways(dynamicGroup.update, root, {
      duplicate_name: async () => {
        await root.terminalDynamicGroup.insert({ name: 'Held', where })
        const { kid } = await root.terminalDynamicGroup.insert({ name: unique('Dynamic'), where })
        return { kid, name: 'held', where }
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
async function times(count: number, run: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await run()
}
