import { contract } from '@mdm/contract'
import { createUpload } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { requestRefusals } from '../shared/device-requests.ts'
import { exceedingTransfers } from '../shared/device-transfers.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    transfer_kid: string
  }
}

const calls = contract.terminalFile.calls

/** Files on devices. */
export const terminalFile: Feature = {
  async make({ call, device }) {
    const path = '/sdcard/logs/scan.log'
    return { transfer_kid: (await call.terminalFile.download({ terminal_kid: device.kid, path })).kid }
  },
  inputs: (t) => ({
    'terminal_file/list': { terminal_kid: t.terminal_kid, path: '/sdcard' },
    'terminal_file/make_folder': { terminal_kid: t.terminal_kid, path: '/sdcard', name: 'Swept' },
    'terminal_file/rename': { terminal_kid: t.terminal_kid, path: '/sdcard/Music', name: 'Songs' },
    'terminal_file/delete': { terminal_kid: t.terminal_kid, path: '/sdcard/DCIM' },
    'terminal_file/download': { terminal_kid: t.terminal_kid, path: '/sdcard/logs/scan.log' },
    'terminal_file/upload': {
      terminal_kid: t.terminal_kid,
      path: '/sdcard',
      name: 'swept.txt',
      upload_kid: t.upload_kid,
    },
    'terminal_file/paging': { terminal_kid: t.terminal_kid },
    'terminal_file/cancel': { kid: t.transfer_kid },
  }),
  refusals: (s) => ({ ...requests(s), ...transfers(s) }),
  tables: ['device_transfer'],
}

const requests = (s: Stage): Refusals => ({
  ...requestRefusals(s, calls.list, { path: '/' }, { device_file_missing: 'not_found' }),
  ...requestRefusals(
    s,
    calls.make_folder,
    { path: '/', name: 'x' },
    { device_file_missing: 'not_found', duplicate_name: 'exists' },
  ),
  ...requestRefusals(
    s,
    calls.rename,
    { path: '/a', name: 'b' },
    { device_file_missing: 'not_found', duplicate_name: 'exists' },
  ),
  ...requestRefusals(s, calls.delete, { path: '/a' }, { device_file_missing: 'not_found' }),
  ...refusalsOf(calls.make_folder, s.root, {
    file_name_invalid: () => ({ terminal_kid: s.device, path: '/', name: '..' }),
  }),
  ...refusalsOf(calls.rename, s.root, {
    file_name_invalid: () => ({ terminal_kid: s.device, path: '/sdcard', name: 'a/b' }),
  }),
})

function transfers(s: Stage): Refusals {
  const { root, deps, device } = s
  const away = async () => ({ terminal_kid: await s.absentDevice() })
  const exceeding = exceedingTransfers(s)
  return {
    ...refusalsOf(calls.download, root, {
      device_not_online: async () => ({ ...(await away()), path: '/a' }),
      storage_exceeded: () => exceeding(async () => ({ path: '/sdcard/logs/scan.log' })),
      file_name_invalid: () => ({ terminal_kid: device, path: '/' }),
    }),
    ...refusalsOf(calls.upload, root, {
      device_not_online: async () => ({ ...(await away()), path: '/', name: 'a', upload_kid: await s.upload('a') }),
      storage_exceeded: () =>
        exceeding(async (who) => ({ path: '/', name: 'a', upload_kid: await s.upload('exceeding', who) })),
      file_name_invalid: async () => ({
        terminal_kid: device,
        path: '/',
        name: 'a:b',
        upload_kid: await s.upload('b'),
      }),
      upload_not_finished: async () => ({
        terminal_kid: device,
        path: '/',
        name: 'half',
        upload_kid: await createUpload(root, 'half', 1000),
      }),
      file_transfer_failed: async () => {
        const upload_kid = await s.upload('lost on the way')
        await deps.objects.delete(upload_kid)
        return { terminal_kid: device, path: '/', name: 'lost', upload_kid }
      },
    }),
    ...refusalsOf(calls.cancel, root, {
      task_not_cancelable: async () => {
        const { kid } = await root.terminalFile.download({ terminal_kid: device, path: '/sdcard/logs/scan.log' })
        await root.terminalFile.cancel({ kid })
        return { kid }
      },
    }),
  }
}
