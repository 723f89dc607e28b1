import { join } from 'node:path'
import { contract, errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localObjects } from '../../../../files/local-objects.ts'
import { addApp } from '../../../../testing/apps.ts'
import { testApi } from '../../../../testing/calls.ts'
import type { TestApi } from '../../../../testing/calls.ts'
import { addTerminal } from '../../../../testing/devices.ts'
import { insertFile } from '../../../../testing/push-tasks.ts'

const { pushTask, configFile, fileCloud, appCenter } = contract

let o: TestApi
let who: Awaited<ReturnType<TestApi['person']>>
let device: string
beforeAll(async () => {
  o = await testApi()
  const objects = await localObjects(join(o.deps.config.data, 'objects'))
  Object.assign(o.deps, { objects, signFile: (object: string) => `/files/${object}` })
  who = await o.person(1, o.acme.kid, 'whoever', ['*'])
  device = await addTerminal(o.deps, o.acme.kid)
})
afterAll(() => o.close())

type Content = {
  type: string
  add(name: string): Promise<{ payload: object; goes(): Promise<{ result: number }> }>
  /** Of its deletion while a push has not ended, and of a retry after it. */
  stays: ErrorName
  gone: ErrorName
}
const contents: Content[] = [
  {
    type: 'file',
    async add(name) {
      const { kid } = await insertFile(o.deps, o.acme.kid, name)
      return {
        payload: { file_kids: [kid], path: '/a' },
        goes: () => o.call(fileCloud.calls.delete, { kid } as never, who),
      }
    },
    stays: 'delete_failed',
    gone: 'file_broken',
  },
  {
    type: 'config_file',
    async add(name) {
      const input = { name, content: 'YQ==', path: '/a' }
      const { kid } = (await o.call(configFile.calls.insert, input, who)).data
      return { payload: { config_file_kid: kid }, goes: () => o.call(configFile.calls.delete, { kid }, who) }
    },
    stays: 'delete_failed',
    gone: 'file_broken',
  },
  {
    type: 'app_install',
    async add(name) {
      const kid = await addApp(o.deps, {
        account_kid: o.acme.kid,
        package: `com.acme.${name.replaceAll('.', '_')}`,
        version_name: '1.0',
        version_code: 1,
      })
      return { payload: { apps: [{ app_kid: kid }] }, goes: () => o.call(appCenter.calls.delist, { kid }, who) }
    },
    stays: 'app_delist_choice',
    gone: 'app_not_listed',
  },
]

it.each(contents)('what a push of $type brings stays while it is planned, with no device yet', async (of) => {
  const { payload, goes } = await of.add('planned.txt')
  const start_at = new Date(o.deps.clock.now().getTime() + 86_400_000).toISOString()
  const work = { type: of.type, payload, terminal_kids: [device], conditions: { start_at } }
  const { data } = await o.call(pushTask.calls.insert, work as never, who)
  expect((await goes()).result).toBe(errors[of.stays].result)
  await o.call(pushTask.calls.cancel, { push_task_kid: (data as { kid: string }).kid }, who)
  expect((await goes()).result).toBe(1)
})

it.each(contents)('a push of $type is not tried again once what it brings is gone', async (of) => {
  const { payload, goes } = await of.add('gone.txt')
  const work = { type: of.type, payload, terminal_kids: [device] }
  const { kid: push_task_kid } = (await o.call(pushTask.calls.insert, work as never, who)).data as { kid: string }
  await o.call(pushTask.calls.cancel, { push_task_kid }, who)
  expect((await goes()).result).toBe(1)
  expect((await o.call(pushTask.calls.retry, { push_task_kid }, who)).result).toBe(errors[of.gone].result)
})
