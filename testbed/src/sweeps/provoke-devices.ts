import { contract } from '@mdm/contract'
import { createAccount } from '@mdm/server/modules/account/service.ts'
import type { Caller } from '../caller.ts'
import { until } from '../until.ts'
import { announce } from './inputs.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const terminal = contract.terminal.calls
const terminalGroup = contract.terminalGroup.calls
const pushTask = contract.pushTask.calls
const long = 'x'.repeat(37)

/** Devices, their groups and what is pushed to them. */
export const deviceProvocations = (s: Stage): Provocations => ({ ...devices(s), ...groups(s), ...pushes(s) })

function devices(s: Stage): Provocations {
  const { w, root, device } = s
  return {
    ...ways(terminal.manual_registered, root, {
      sn_too_long: () => ({ sn: long, registration_code: 'AAAAAA' }),
      alias_too_long: () => ({ sn: 'A', registration_code: 'A', name: long }),
      alias_has_percent: () => ({ sn: 'A', registration_code: 'A', name: '5%' }),
      device_unknown: () => ({ sn: 'NEVER-SEEN', registration_code: 'AAAAAA' }),
      device_already_registered: () => ({ sn: w.devices[0]!.sn, registration_code: 'AAAAAA' }),
      registration_code_mismatch: async () => ({ ...(await announce(w.url, 'MISMATCH')), registration_code: '!' }),
      account_device_limit: async () => by(await fullAccount(s), await announce(w.url, 'NO-PLACE')),
      registered_devices_exceed_limit: async () => by(await fullFamily(s), await announce(w.url, 'NO-PLACE-ABOVE')),
      group_unknown: async () => ({ ...(await announce(w.url, 'GROUPLESS')), terminal_group_kid: nowhere }),
      device_scrapped: async () => {
        const scrapped = { sn: 'SCRAPPED', account_kid: s.customer_kid, scrapped_at: s.deps.clock.now() }
        await s.deps.db.insertInto('scrapped_sn').values(scrapped).execute()
        return { sn: 'SCRAPPED', registration_code: 'AAAAAA' }
      },
    }),
    ...ways(terminal.qrcode_registered_cache, root, {
      group_unknown: () => ({ terminal_group_kid: nowhere }),
      account_device_limit: async () => by(await fullAccount(s), {}),
    }),
    ...ways(terminal.update, root, {
      alias_too_long: () => ({ kid: device, name: long }),
      alias_has_percent: () => ({ kid: device, name: '100%' }),
    }),
    ...ways(terminal.move_group_batch, root, {
      group_unknown: () => ({ terminal_kids: [device], terminal_group_kid: nowhere }),
      device_not_found: () => ({ terminal_kids: [device, nowhere], terminal_group_kid: 'NO_GROUP' }),
    }),
    ...ways(terminal.batch_cancel, root, {
      device_not_found: () => ({ terminalKids: [device, nowhere], confirm: 'DELETE' }),
      confirm_text_wrong: () => ({ terminalKids: [device], confirm: 'delete' }),
    }),
  }
}

/** A customer without a place left. */
async function fullAccount({ w, deps }: Stage): Promise<Caller> {
  const { account_kid } = w.seed.customers[2]!
  await deps.db.updateTable('account').set({ terminal_max: 0 }).where('kid', '=', account_kid).execute()
  return w.customers[2]!
}

/** A sub-account with room of its own under a root without any. */
async function fullFamily(s: Stage): Promise<Caller> {
  const { db } = s.deps
  const name = s.unique('Full')
  const parent = await createAccount(db, { type: 1, name, terminal_max: 0, sub_accounts_allowed: true })
  const child = await createAccount(db, { type: 2, parent_kid: parent.kid, name: `${name} child`, terminal_max: 5 })
  return (await s.person(child.kid, 2, [await s.role(child.kid, 100, ['*'])])).call
}

function groups(s: Stage): Provocations {
  const { root, unique } = s
  const group = async (name: string, parent_kid = 'ROOT') => (await root.terminalGroup.insert({ name, parent_kid })).kid
  const chain = async (length: number): Promise<string> => {
    let kid = await group(unique('Chain'))
    for (let depth = 2; depth <= length; depth++) kid = await group(unique('Link'), kid)
    return kid
  }
  return {
    ...ways(terminalGroup.insert, root, {
      group_name_taken: async () => {
        await group('Taken')
        return { name: 'TAKEN' }
      },
      group_too_deep: async () => ({ name: 'Eleventh', parent_kid: await chain(10) }),
      group_unknown: () => ({ name: 'Orphan', parent_kid: nowhere }),
    }),
    ...ways(terminalGroup.update, root, {
      group_name_taken: async () => {
        await group('Held')
        return { kid: await group(unique('Renamed')), name: 'held' }
      },
    }),
    ...ways(terminalGroup.move, root, {
      group_name_taken: async () => {
        const target = await group(unique('Target'))
        await group('Twin', target)
        return { kid: await group('Twin'), target_parent_kid: target }
      },
      group_too_deep: async () => {
        const kid = await group(unique('Tall'))
        await group(unique('Below'), kid)
        return { kid, target_parent_kid: await chain(9) }
      },
      group_into_itself: async () => {
        const kid = await group(unique('Loop'))
        return { kid, target_parent_kid: await group(unique('Inner'), kid) }
      },
      group_unknown: async () => ({ kid: await group(unique('Lost')), target_parent_kid: nowhere }),
    }),
    ...ways(terminalGroup.delete, root, {
      group_name_taken: async () => {
        await group('Namesake')
        const kid = await group(unique('Dissolved'))
        await group('Namesake', kid)
        return { kid }
      },
      delete_failed: async () => {
        const kid = await group(unique('Only reach'))
        const { account_kid, users } = s.w.seed.customers[0]!
        await s.deps.db
          .insertInto('terminal_group_user_manged')
          .values({ account_kid, user_kid: users[1]!.user_kid, terminal_group_kid: kid })
          .execute()
        return { kid }
      },
    }),
    ...ways(pushTask.insert, root, {
      device_not_found: () => ({ type: 'restart', payload: {}, terminal_kids: [nowhere] }),
      group_unknown: () => ({ type: 'restart', payload: {}, terminal_group_kid: nowhere }),
      task_create_failed: async () => ({
        type: 'restart',
        payload: {},
        terminal_group_kid: await group(unique('Empty')),
      }),
    }),
  }
}

function pushes({ root, device, absentDevice }: Stage): Provocations {
  const pushed = async (terminal_kid: string) =>
    (await root.pushTask.insert({ type: 'message', payload: { title: 't', text: 't' }, terminal_kids: [terminal_kid] }))
      .kid
  return {
    ...ways(pushTask.cancel, root, {
      task_not_cancelable: async () => {
        const push_task_kid = await pushed(await absentDevice())
        await root.pushTask.cancel({ push_task_kid })
        return { push_task_kid }
      },
    }),
    ...ways(pushTask.retry, root, {
      task_running: async () => ({ push_task_kid: await pushed(await absentDevice()) }),
      task_password_gone: async () => {
        const lock = { type: 'lock', payload: { password: '4711' } } as const
        const { kid: push_task_kid } = await root.pushTask.insert({ terminal_kids: [await absentDevice()], ...lock })
        await root.pushTask.cancel({ push_task_kid })
        return { push_task_kid }
      },
      task_not_retryable: async () => {
        const push_task_kid = await pushed(device)
        await until('the message to be shown', async () => (await root.pushTask.get({ kid: push_task_kid })).result)
        return { push_task_kid }
      },
    }),
  }
}
