import { config_files_max, contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    config_file_kid: string
  }
}

const calls = contract.configFile.calls
const draft = (name: string) => ({
  name,
  path: '/sdcard/config',
  content: Buffer.from('<settings/>').toString('base64'),
})

/** Configuration files of customers. */
export const configFile: Feature = {
  async make({ call, device }) {
    return { config_file_kid: (await call.configFile.insert(draft(`sweep-${device.sn}.xml`))).kid }
  },
  inputs: (t) => ({
    'config_file/paging': {},
    'config_file/insert': draft(`new-${Math.random()}.xml`),
    'config_file/download': { kid: t.config_file_kid },
    'config_file/delete': { kid: t.config_file_kid },
  }),
  refusals,
  tables: ['config_file'],
}

function refusals(s: Stage): Refusals {
  const { root, unique } = s
  return {
    ...refusalsOf(calls.insert, root, {
      file_name_invalid: async () => draft('a/b.xml'),
      file_too_large: async () => ({
        ...draft(unique('large.xml')),
        content: Buffer.alloc(1_048_577).toString('base64'),
      }),
      duplicate_name: async () => {
        await root.configFile.insert(draft('same.xml'))
        return draft('Same.XML')
      },
      storage_exceeded: async () => {
        const other = s.w.customers[1]!
        const { account_kid } = s.w.seed.customers[1]!
        const { db, clock } = s.w.server.deps
        const rows = Array.from({ length: config_files_max }, (_, at) => ({
          kid: newKid(),
          account_kid,
          name: `kept-${at}`,
          description: '',
          path: '/sdcard',
          size: 1,
          md5: '',
          sha256: '',
          object: newKid(),
          created_by_kid: newKid(),
          created_by: 'Sweep',
          created_at: clock.now(),
        }))
        await db.insertInto('config_file').values(rows).execute()
        return by(other, draft('one-more.xml'))
      },
    }),
    ...refusalsOf(calls.delete, root, {
      delete_failed: async () => {
        const { kid } = await root.configFile.insert(draft(unique('in use.xml')))
        await root.pushTask.insert({
          type: 'config_file',
          payload: { config_file_kid: kid },
          terminal_kids: [await s.absentDevice()],
        })
        return { kid }
      },
    }),
  }
}
