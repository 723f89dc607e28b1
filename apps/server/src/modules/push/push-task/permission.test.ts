import { contract, errors, pushableTypes, pushKinds } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'

const { insert, retry } = contract.pushTask.calls
const kinds: readonly PushTaskType[] = pushableTypes
const payloads: Partial<Record<PushTaskType, object>> = {
  message: { title: 'a', text: 'b' },
  file: { file_kids: ['00000000-0000-7000-8000-000000000000'], path: '/a' },
  config_file: { config_file_kid: '00000000-0000-7000-8000-000000000000' },
  app_install: { apps: [{ app_kid: '00000000-0000-7000-8000-000000000000' }] },
  app_uninstall: { packages: ['com.acme.scan'] },
  os: { os_version_kid: '00000000-0000-7000-8000-000000000000' },
  find: { seconds: 5 },
}

/** Kinds that bring something, and what is said where that is not there. */
const missing_of: Partial<Record<PushTaskType, keyof typeof errors>> = {
  file: 'not_found',
  config_file: 'not_found',
  app_install: 'not_found',
  os: 'os_not_available',
}

let o: TestApi
let whoever: Awaited<ReturnType<TestApi['person']>>
beforeAll(async () => {
  o = await testApi()
  whoever = await o.person(3, o.acme.kid, 'whoever', ['*'])
})
afterAll(() => o.close())

it.each(kinds)('a push of the kind %s needs the permission of what it does, and so does its retry', async (type) => {
  const without = kinds.map((kind) => pushKinds[kind].needs).filter((needs) => needs !== pushKinds[type].needs)
  const person = await o.person(3, o.acme.kid, `no-${type}`, [...without, 'deviceDetailTask*'])
  const device = await addTerminal(o.deps, o.acme.kid, { sn: `SN-${type}` })
  const work = { type, payload: payloads[type] ?? {}, terminal_kids: [device] }
  expect((await o.call(insert, work as never, person)).result).toBe(errors.no_permission.result)
  const made = await o.call(insert, work as never, whoever)
  // What is named is not there: whoever may push it hears that, and not that it may not.
  const missing = missing_of[type]
  if (missing) return void expect(made.result).toBe(errors[missing].result)
  const { kid: push_task_kid } = made.data as { kid: string }
  await o.deps.db
    .updateTable('push_task_terminal')
    .set({ state: 'failed' })
    .where('push_task_kid', '=', push_task_kid)
    .execute()
  expect((await o.call(retry, { push_task_kid }, person)).result).toBe(errors.no_permission.result)
})

it.each([{ terminal_group_kid: 'ALL' }, { terminal_kids: ['00000000-0000-7000-8000-000000000000'] }])(
  'a push to what matches is refused, not widened or narrowed, when devices are said otherwise too: %j',
  async (named) => {
    const work = { type: 'restart', payload: {}, match: { is_online: true }, ...named }
    const { result, data } = await o.call(insert, work as never, whoever)
    expect([result, data]).toEqual([errors.bad_input.result, { fields: { terminal_kids: expect.any(String) } }])
  },
)
