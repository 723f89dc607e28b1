import { contract } from '@mdm/contract'
import { until } from '../../until.ts'
import type { Feature } from '../feature.ts'
import { tenants } from '../kinds.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    push_task_kid: string
  }
}

const calls = contract.pushTask.calls

/** What is pushed to devices. */
export const pushTask: Feature = {
  async make({ call, device }) {
    const payload = { title: 'Sweep', text: 'Sweep' }
    const task = await call.pushTask.insert({ type: 'message', payload, terminal_kids: [device.kid] })
    return { push_task_kid: task.kid }
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
    'push_task/cancel': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
    'push_task/retry': { push_task_kid: t.push_task_kid, terminal_kid: t.terminal_kid },
  }),
  refusals,
  tables: ['push_task_terminal'],
  not_found: ['task_not_cancelable', 'task_not_retryable'],
  open_to: { 'push_task/insert': tenants },
}

function refusals({ root, device, absentDevice, unique }: Stage): Refusals {
  const pushed = async (terminal_kid: string) =>
    (await root.pushTask.insert({ type: 'message', payload: { title: 't', text: 't' }, terminal_kids: [terminal_kid] }))
      .kid
  return {
    ...refusalsOf(calls.insert, root, {
      device_not_found: () => ({ type: 'restart', payload: {}, terminal_kids: [unknownKid] }),
      group_unknown: () => ({ type: 'restart', payload: {}, terminal_group_kid: unknownKid }),
      task_create_failed: async () => ({
        type: 'restart',
        payload: {},
        terminal_group_kid: (await root.terminalGroup.insert({ name: unique('Empty'), parent_kid: 'ROOT' })).kid,
      }),
    }),
    ...refusalsOf(calls.cancel, root, {
      task_not_cancelable: async () => {
        const push_task_kid = await pushed(await absentDevice())
        await root.pushTask.cancel({ push_task_kid })
        return { push_task_kid }
      },
    }),
    ...refusalsOf(calls.retry, root, {
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
