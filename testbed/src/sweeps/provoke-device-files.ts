import { TaskFailure } from '@mdm/agent/body/body.ts'
import { constants, contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { until } from '../until.ts'
import { createUpload } from '../upload.ts'
import type { Device } from '../enrol.ts'
import { by, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const file = contract.terminalFile.calls
const app = contract.terminalApp.calls

/** What is asked of one device while somebody waits: its files, its apps, its log. */
export const deviceFileProvocations = (s: Stage): Provocations => ({
  ...asked(s, file.list, { path: '/' }, { device_file_missing: 'not_found' }),
  ...asked(
    s,
    file.make_folder,
    { path: '/', name: 'x' },
    { device_file_missing: 'not_found', duplicate_name: 'exists' },
  ),
  ...asked(s, file.rename, { path: '/a', name: 'b' }, { device_file_missing: 'not_found', duplicate_name: 'exists' }),
  ...asked(s, file.delete, { path: '/a' }, { device_file_missing: 'not_found' }),
  ...asked(s, app.list, {}, {}),
  ...asked(s, app.uninstall, { package: 'a' }, { device_app_missing: 'not_found' }),
  ...asked(
    s,
    app.set_permission,
    { package: 'a', permission: 'camera', state: 'deny' },
    { device_app_missing: 'not_found' },
  ),
  ...ways(file.make_folder, s.root, {
    file_name_invalid: () => ({ terminal_kid: s.device, path: '/', name: '..' }),
  }),
  ...ways(file.rename, s.root, {
    file_name_invalid: () => ({ terminal_kid: s.device, path: '/sdcard', name: 'a/b' }),
  }),
  ...transfers(s),
})

/** A device whose every answer is `act`. */
async function odd(s: Stage, act: () => Promise<never>): Promise<Device> {
  const device = await s.w.addDevice()
  for (const part of [device.body.files, device.body.apps])
    for (const name of Object.keys(part)) Object.assign(part, { [name]: act })
  // It goes on reporting; only who asks for its state hears this.
  Object.assign(device.body, { state: act })
  return device
}
const failing = (code: string) => () => Promise.reject(new TaskFailure(code, 'cannot'))

/** The refusals of a request to a device: some by its own words, given in `words`. */
export function asked(s: Stage, call: Call, rest: object, words: Record<string, string>): Provocations {
  const of = (device: Device) => ({ ...rest, terminal_kid: device.kid })
  const way = (name: string, make: () => unknown) => ways<Call>(call, s.root, { [name]: make })
  const { link } = s.deps
  /** With another way of asking meanwhile. */
  const through = (name: string, request: typeof link.request, device: () => Promise<Device>): Provocations => ({
    [`${call.path} ${name}`]: async () => {
      const input = of(await device())
      s.deps.link = { ...link, request }
      try {
        return await s.root.try_(call, input)
      } finally {
        s.deps.link = link
      }
    },
  })
  return {
    ...way('device_not_online', async () => ({ ...rest, terminal_kid: await s.absentDevice() })),
    ...way('device_not_supported', async () => of(await odd(s, failing('not_supported')))),
    ...way('device_refused', async () => of(await odd(s, failing('no_space')))),
    ...Object.assign(
      {},
      ...Object.entries(words).map(([name, code]) => way(name, async () => of(await odd(s, failing(code))))),
    ),
    // A person waits twenty seconds for a device that says nothing; a test does not.
    ...through(
      'device_no_answer',
      (kid, method, params) => link.request(kid, method, params, 50),
      () => odd(s, () => new Promise(() => {})),
    ),
    ...through(
      'device_answer_invalid',
      async () => 'nonsense',
      async () => s.w.devices[0]!,
    ),
  }
}

function transfers(s: Stage): Provocations {
  const { root, deps, device } = s
  const away = async () => ({ terminal_kid: await s.absentDevice() })
  /** A customer whose share of kept transfers is used up. */
  const full = async () => {
    const { kid } = await s.w.addDevice({ customer: 1 })
    const who = s.w.customers[1]!
    const { kid: transfer_kid } = await who.terminalLog.ask({ terminal_kid: kid })
    await until('the log', async () => (await who.terminalLog.paging({ terminal_kid: kid })).items[0]?.url)
    const size = constants.device_file_cache_bytes
    await deps.db.updateTable('device_transfer').set({ size }).where('kid', '=', transfer_kid).execute()
    return { who, kid }
  }
  /** One such customer is enough. */
  let filled: ReturnType<typeof full> | undefined
  const exceeding = async (more: (who: typeof root) => Promise<object>) => {
    const { who, kid } = await (filled ??= full())
    return by(who, { terminal_kid: kid, ...(await more(who)) })
  }
  return {
    ...ways(file.download, root, {
      device_not_online: async () => ({ ...(await away()), path: '/a' }),
      storage_exceeded: () => exceeding(async () => ({ path: '/sdcard/logs/scan.log' })),
      file_name_invalid: () => ({ terminal_kid: device, path: '/' }),
    }),
    ...ways(file.upload, root, {
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
    ...ways(file.cancel, root, {
      task_not_cancelable: async () => {
        const { kid } = await root.terminalFile.download({ terminal_kid: device, path: '/sdcard/logs/scan.log' })
        await root.terminalFile.cancel({ kid })
        return { kid }
      },
    }),
    ...ways(contract.terminalLog.calls.ask, root, {
      device_not_online: away,
      storage_exceeded: () => exceeding(async () => ({})),
    }),
  }
}
