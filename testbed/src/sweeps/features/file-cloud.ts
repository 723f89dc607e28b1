import { contract } from '@mdm/contract'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    file_kid: string
    /** Uploaded, and not taken by anything. */
    upload_kid: string
  }
}

const calls = contract.fileCloud.calls

/** Files of customers. */
export const fileCloud: Feature = {
  async make({ call, device, customer }) {
    const name = `sweep-${customer}-${device.sn}.txt`
    const file = await call.fileCloud.insert({ upload_kid: await uploadFile(call, name, Buffer.from('sweep')), name })
    return { file_kid: file.kid, upload_kid: await uploadFile(call, `unclaimed-${name}`, Buffer.from('unclaimed')) }
  },
  inputs: (t) => ({
    'file_cloud/paging': {},
    'file_cloud/insert': { upload_kid: t.upload_kid, name: 'taken.txt' },
    'file_cloud/delete': { kid: t.file_kid },
  }),
  refusals,
  tables: ['file_cloud', 'upload'],
}

function refusals(s: Stage): Refusals {
  const { root, operator, upload } = s
  return {
    ...refusalsOf(calls.insert, root, {
      file_name_invalid: async () => ({ upload_kid: await upload('a'), name: 'a/b.txt' }),
      upload_not_finished: async () => ({
        upload_kid: await createUpload(root, 'half.bin', 1000),
        name: 'half.bin',
      }),
      duplicate_name: async () => {
        await root.fileCloud.insert({ upload_kid: await upload('b'), name: 'same.txt' })
        return { upload_kid: await upload('c'), name: 'Same.TXT' }
      },
      file_transfer_failed: async () => {
        const upload_kid = await lostUpload(s, 'lost.txt')
        return { upload_kid, name: 'lost.txt' }
      },
      storage_exceeded: async () => {
        const who = s.w.customers[1]!
        const upload_kid = await upload('more than there is place for', who)
        const account_kid_param = s.w.seed.customers[1]!.account_kid
        const { kid, used } = await operator.opsFileDisk.get({ account_kid_param })
        await operator.opsFileDisk.update_space({ kid, account_kid_param, disk_space: used })
        return by(who, { upload_kid, name: 'exceeding.txt' })
      },
    }),
    ...refusalsOf(calls.delete, root, {
      delete_failed: async () => {
        const file = await root.fileCloud.insert({ upload_kid: await upload('e'), name: 'in use.txt' })
        await root.pushTask.insert({
          type: 'file',
          payload: { file_kids: [file.kid], path: '/data' },
          terminal_kids: [await s.absentDevice()],
        })
        return { kid: file.kid }
      },
    }),
  }
}
