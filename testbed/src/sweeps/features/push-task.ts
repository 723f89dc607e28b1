import { contract } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { files_of_task_max } from '@mdm/device-link'
import { sql } from 'kysely'
import { until } from '../../until.ts'
import type { Feature } from '../feature.ts'
import { tenants } from '../kinds.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { copiedApp, manyApps } from '../shared/apps.ts'
import { fillResets, forgetResets } from '../shared/resets.ts'
import type { Stage } from '../stage.ts'
import { osPush } from './os-version.ts'

declare module '../feature.ts' {
  interface Things {
    push_task_kid: string
    push_preview_kid: string
    planned_push_kid: string
  }
}

const calls = contract.pushTask.calls

/** What is pushed to devices. */
export const pushTask: Feature = {
  async make({ call, device }) {
    const payload = { title: 'Sweep', text: 'Sweep' }
    const task = await call.pushTask.insert({ type: 'message', payload, terminal_kids: [device.kid] })
    const start_at = new Date(Date.now() + 86_400_000).toISOString()
    const to = { terminal_kids: [device.kid], conditions: { start_at } }
    const planned = await call.pushTask.insert({ type: 'message', payload, ...to })
    const preview = await call.pushTask.preview({ type: 'message', terminal_kids: [device.kid] })
    return { push_task_kid: task.kid, push_preview_kid: preview.kid, planned_push_kid: planned.kid }
  },
  inputs: (t) => ({
    'push_task/paging': {},
    'push_task/get': { kid: t.push_task_kid },
    'push_task/paging_terminal': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
    'push_task/list_activity': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
    'push_task/insert': {
      type: 'file',
      payload: { file_kids: [t.file_kid], path: '/sdcard' },
      terminal_kids: [t.terminal_kid],
    },
    'push_task/list_creators': {},
    'push_task/paging_left_out': { push_task_kid: t.push_task_kid },
    'push_task/preview': { type: 'restart', terminal_kids: [t.terminal_kid] },
    'push_task/get_preview': { preview_kid: t.push_preview_kid },
    'push_task/paging_preview': { preview_kid: t.push_preview_kid },
    'push_task/get_planned': { kid: t.planned_push_kid },
    'push_task/update': {
      push_task_kid: t.planned_push_kid,
      version: 1,
      type: 'message',
      payload: { title: 'Sweep', text: 'Changed' },
      terminal_kids: [t.terminal_kid],
    },
    'push_task/move': { push_task_kid: t.planned_push_kid, version: 1, start_at: null },
    'push_task/pause': { push_task_kid: t.push_task_kid },
    'push_task/resume': { push_task_kid: t.push_task_kid },
    'push_task/approve': { push_task_kid: t.push_task_kid },
    'push_task/reject': { push_task_kid: t.push_task_kid },
    'push_task/get_setting': {},
    'push_task/save_setting': { approval_from: null },
    'push_task/cancel': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
    'push_task/retry': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
  }),
  refusals,
  tables: ['push_task_terminal'],
  not_found: ['task_not_cancelable', 'task_not_retryable', 'push_preview_gone'],
  open_to: {
    'push_task/insert': tenants,
    'push_task/preview': tenants,
    'push_task/get_preview': tenants,
    'push_task/paging_preview': tenants,
  },
}

function refusals(s: Stage): Refusals {
  const { root, deps, customer_kid, device, absentDevice, unique } = s
  const ended = async () => {
    const push_task_kid = await pushed(await absentDevice())
    await root.pushTask.cancel({ push_task_kid })
    return { push_task_kid }
  }
  /** A push of somebody else's, or the caller's own, that waits for an approval. */
  const awaiting = async () => {
    const set = (push_approval_from: number | null) =>
      // By nobody: who loosened it by the call would be held to it.
      deps.db.updateTable('account').set({ push_approval_from }).where('kid', '=', customer_kid).execute()
    await set(1)
    const push_task_kid = await pushed(await absentDevice())
    await set(null)
    return { push_task_kid }
  }
  /** Devices that carry out what `can` says, and nothing else. */
  const ableTo = async (can: string[]) => {
    const kid = await absentDevice()
    await deps.db.updateTable('terminal').set({ task_types: can }).where('kid', '=', kid).execute()
    return kid
  }
  /** As many factory resets of this hour as an account may have. */
  const manyLately = async () => {
    const reset = { type: 'factory_reset' as const, payload: {}, terminal_kids: [await absentDevice()] }
    await forgetResets(s)
    const { kid } = await root.pushTask.insert(reset)
    await root.pushTask.cancel({ push_task_kid: kid })
    await fillResets(s)
    return { reset, push_task_kid: kid }
  }
  const app = (more: { is_listed?: boolean }) => copiedApp(s, 'appCenter', more)
  /** Needs more apps than a push has room for. */
  const needy = async () => {
    const { kid } = await app({ is_listed: true })
    await manyApps({ deps }, kid)
    return kid
  }
  const bare = async () => {
    const { kid } = await app({ is_listed: true })
    await deps.db.updateTable('app').set({ offered_version_kid: null }).where('kid', '=', kid).execute()
    return kid
  }
  const pushedApps = (input: (payload: object) => Promise<object>) => {
    const of = (app_kid: string) => input({ apps: [{ app_kid }] })
    return {
      app_not_listed: async () => of((await app({})).kid),
      app_without_version: async () => of(await bare()),
      app_push_too_many: async () => of(await needy()),
      app_push_too_long: async () => {
        const { kid } = await app({ is_listed: true })
        // More parts than any package has, so that one app is enough.
        const split = { is_base: false, abi: 'arm64-v8a', density: 'xxxhdpi', language: 'vi' }
        const splits = Array.from({ length: 1_200 }, (_, n) => ({ ...split, file: `${n}${'n'.repeat(190)}.apk` }))
        await deps.db
          .updateTable('app_version')
          .set({ splits: JSON.stringify(splits) })
          .where('app_kid', '=', kid)
          .execute()
        return of(kid)
      },
    }
  }
  const folder = async () => (await root.fileCloud.insert_folder({ name: unique('Pushed') })).kid
  const cloudFile = async (folder_kid: string | null = null, name = `${unique('pushed')}.txt`) =>
    (await root.fileCloud.insert({ upload_kid: await s.upload(name), name, folder_kid })).kid
  /** More of them than anybody would upload for this. */
  const filled = async (count: number, name: string) => {
    const kid = await folder()
    await sql`INSERT INTO file_cloud (kid, account_kid, parent_kid, name, object, size, md5, sha256, content_type, created_by_kid, created_by, created_at)
      SELECT gen_random_uuid(), ${customer_kid}::uuid, ${kid}::uuid, n || ${name}, gen_random_uuid(), 0, '', '', '', gen_random_uuid(), '', now()
      FROM generate_series(1, ${count}::int) n`.execute(deps.db)
    return kid
  }
  const breakFile = async (kid: string) => {
    const { object } = await deps.db
      .selectFrom('file_cloud')
      .select('object')
      .where('kid', '=', kid)
      .executeTakeFirstOrThrow()
    const found = { object: object!, fault: 'missing' as const, checked_at: deps.clock.now() }
    await deps.db.insertInto('object_check').values(found).execute()
  }
  const pushedFiles = (input: (payload: object) => Promise<object>) => {
    const of = (...file_kids: string[]) => input({ file_kids, path: '/sdcard' })
    return {
      file_push_empty: async () => of(await folder()),
      file_push_too_many: async () => of(await filled(files_of_task_max + 1, '.txt')),
      file_push_too_long: async () => of(await filled(files_of_task_max, 'ữ'.repeat(240))),
      file_push_same_place: async () => {
        const name = `${unique('same')}.txt`
        return of(await cloudFile(null, name), await cloudFile(await folder(), name))
      },
      file_broken: async () => {
        const kid = await cloudFile()
        await breakFile(kid)
        return of(kid)
      },
    }
  }
  const pushed = async (terminal_kid: string) =>
    (await root.pushTask.insert({ type: 'message', payload: { title: 't', text: 't' }, terminal_kids: [terminal_kid] }))
      .kid
  const noOs = { type: 'os' as const, payload: { os_version_kid: unknownKid } }
  /** What a push is refused as, whether it is made or changed to this. */
  const pushes = (input: (said: Record<string, unknown> & { type: PushTaskType }) => Promise<object>) => {
    const restart = { type: 'restart', payload: {} } as const
    return {
      ...pushedApps(async (payload) => input({ type: 'app_install', payload, terminal_kids: [await absentDevice()] })),
      ...pushedFiles(async (payload) => input({ type: 'file', payload, terminal_kids: [await absentDevice()] })),
      device_not_found: () => input({ ...restart, terminal_kids: [unknownKid] }),
      group_unknown: () => input({ ...restart, terminal_group_kid: unknownKid }),
      task_no_device: async () => input({ ...restart, terminal_kids: [await ableTo(['message'])] }),
      push_preview_gone: () => input({ ...restart, preview_kid: unknownKid }),
      os_not_available: async () => input({ ...noOs, terminal_kids: [await absentDevice()] }),
      task_too_many_per_hour: async () => input((await manyLately()).reset),
      task_create_failed: async () => {
        const { kid } = await root.terminalGroup.insert({ name: unique('Empty'), parent_kid: 'ROOT' })
        return input({ ...restart, terminal_group_kid: kid })
      },
    }
  }
  /** One of this kind that has not begun, and how it is named in a change. */
  const planned = async (type: PushTaskType = 'message') => {
    const conditions = { start_at: new Date(deps.clock.now().getTime() + 86_400_000).toISOString() }
    const said = { payload: { title: 't', text: 't' }, terminal_kids: [await absentDevice()], conditions }
    const { kid, version } = await root.pushTask.insert({ type: 'message', ...said })
    await deps.db.updateTable('push_task').set({ type }).where('kid', '=', kid).execute()
    return { push_task_kid: kid, version }
  }
  const begun = async () => {
    const { push_task_kid, version } = await planned()
    await root.pushTask.cancel({ push_task_kid })
    return { push_task_kid, version }
  }
  const changed = async () => ({ ...(await planned()), version: 0 })
  const elsewhere = () => planned('configuration')
  const message = async (of: Promise<object>) => ({
    ...(await of),
    ...{ type: 'message', payload: { title: 't', text: 't' }, terminal_kids: [await absentDevice()] },
  })
  const moved = async (of: Promise<object>) => ({ ...(await of), start_at: null })
  return {
    ...refusalsOf(
      calls.insert,
      root,
      pushes(async (said) => said),
    ),
    ...refusalsOf(calls.get_planned, root, {
      task_begun: async () => ({ kid: (await begun()).push_task_kid }),
      task_made_elsewhere: async () => ({ kid: (await elsewhere()).push_task_kid }),
    }),
    ...refusalsOf(calls.update, root, {
      ...pushes(async (said) => ({ ...(await planned(said.type)), ...said })),
      task_begun: () => message(begun()),
      task_changed: () => message(changed()),
      task_made_elsewhere: () => message(elsewhere()),
    }),
    ...refusalsOf(calls.move, root, {
      task_begun: () => moved(begun()),
      task_changed: () => moved(changed()),
      task_made_elsewhere: () => moved(elsewhere()),
      task_too_many_per_hour: async () => {
        const of_reset = await planned('factory_reset')
        await manyLately()
        return { ...of_reset, start_at: null }
      },
    }),
    ...refusalsOf(calls.cancel, root, {
      task_not_cancelable: async () => {
        const push_task_kid = await pushed(await absentDevice())
        await root.pushTask.cancel({ push_task_kid })
        return { push_task_kid }
      },
    }),
    ...refusalsOf(calls.preview, root, {
      ...pushedApps(async (payload) => ({ type: 'app_install', payload, terminal_kids: [device] })),
      ...pushedFiles(async (payload) => ({ type: 'file', payload, terminal_kids: [await absentDevice()] })),
      device_not_found: () => ({ type: 'restart', terminal_kids: [unknownKid] }),
      group_unknown: () => ({ type: 'restart', terminal_group_kid: unknownKid }),
      os_not_available: async () => ({ ...noOs, terminal_kids: [await absentDevice()] }),
    }),
    ...refusalsOf(calls.pause, root, { task_phase_wrong: ended }),
    ...refusalsOf(calls.resume, root, { task_phase_wrong: ended }),
    ...refusalsOf(calls.approve, root, { task_phase_wrong: ended, task_own_approval: awaiting }),
    ...refusalsOf(calls.reject, root, { task_phase_wrong: ended }),
    ...refusalsOf(calls.retry, root, {
      task_too_many_per_hour: async () => ({ push_task_kid: (await manyLately()).push_task_kid }),
      os_not_available: async () => {
        const { kid, push_task_kid } = await osPush(s)
        await root.pushTask.cancel({ push_task_kid })
        await s.operator.opsOsVersion.take_offline({ kid, cancels_tasks: false })
        return { push_task_kid }
      },
      file_broken: async () => {
        const kid = await cloudFile()
        const { kid: push_task_kid } = await root.pushTask.insert({
          type: 'file',
          payload: { file_kids: [kid], path: '/sdcard' },
          terminal_kids: [await absentDevice()],
        })
        await root.pushTask.cancel({ push_task_kid })
        await breakFile(kid)
        return { push_task_kid }
      },
      task_running: async () => ({ push_task_kid: await pushed(await absentDevice()) }),
      task_password_gone: async () => {
        const lock = { type: 'lock', payload: { password: '4711' } } as const
        const { kid: push_task_kid } = await root.pushTask.insert({ terminal_kids: [await absentDevice()], ...lock })
        await root.pushTask.cancel({ push_task_kid })
        return { push_task_kid }
      },
      app_not_listed: async () => {
        const { kid } = await app({ is_listed: true })
        const { kid: push_task_kid } = await root.pushTask.insert({
          type: 'app_install',
          payload: { apps: [{ app_kid: kid }] },
          terminal_kids: [await absentDevice()],
        })
        await root.appCenter.delist({ kid, tasks: 'cancel' })
        return { push_task_kid }
      },
      task_never_began: async () => {
        const start_at = new Date(deps.clock.now().getTime() + 86_400_000).toISOString()
        const { kid: push_task_kid } = await root.pushTask.insert({
          type: 'message',
          payload: { title: 'Sweep', text: 'later' },
          terminal_kids: [await absentDevice()],
          conditions: { start_at },
        })
        await root.pushTask.cancel({ push_task_kid })
        return { push_task_kid }
      },
      config_change_aborted: async () => {
        const { kid } = await root.terminalGroup.insert({ name: unique('Aborted'), parent_kid: 'ROOT' })
        const terminal_kids = [await absentDevice(), await absentDevice()]
        await root.terminal.move_group_batch({ terminal_kids, terminal_group_kid: kid })
        const place = { ltscope: 30, terminal_group_kid: kid }
        const ntp = { server: 'ntp.example.com', every_hours: 12 }
        await root.terminalConfig.save({ ...place, ntp, rollout: { steps: [{ count: 1 }] } })
        const change = async () => (await root.terminalConfig.change_paging(place)).items[0]!
        const begun = async () => {
          const { push_task_kid } = await change()
          return push_task_kid !== null && (await root.pushTask.get({ kid: push_task_kid })).counts.total > 0
        }
        await until('the change to go out', begun)
        const { kid: change_kid, push_task_kid } = await change()
        await root.terminalConfig.abort({ kid: change_kid })
        const stopped = async () => !(await root.pushTask.get({ kid: push_task_kid! })).is_stopping
        await until('its push to be stopped', stopped)
        return { push_task_kid: push_task_kid! }
      },
      task_not_retryable: async () => {
        const push_task_kid = await pushed(device)
        await until('the message to be shown', async () => (await root.pushTask.get({ kid: push_task_kid })).result)
        return { push_task_kid }
      },
    }),
  }
}
