import { TaskFailure } from '@mdm/agent/body/body.ts'
import type { Call } from '@mdm/contract'
import type { FailureCode } from '@mdm/device-link'
import type { Device } from '../../enrol.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

/** A device that answers every request with `act`. */
async function deviceThat(s: Stage, act: () => Promise<never>): Promise<Device> {
  const device = await s.w.addDevice()
  for (const part of [device.body.files, device.body.apps])
    for (const name of Object.keys(part)) Object.assign(part, { [name]: act })
  // It goes on reporting; only who asks for its state hears this.
  Object.assign(device.body, { state: act })
  return device
}
const failing = (s: Stage, code: string) =>
  s.once(`a device that fails with ${code}`, () =>
    deviceThat(s, () => Promise.reject(new TaskFailure(code as FailureCode, 'cannot'))),
  )
const silent = (s: Stage) => s.once('a device that never answers', () => deviceThat(s, () => new Promise(() => {})))

/** The refusals of a request to a device; `codes` are errors that the device itself gives, by the refusal they become. */
export function requestRefusals(s: Stage, call: Call, rest: object, codes: Record<string, string>): Refusals {
  const of = (device: Device) => ({ ...rest, terminal_kid: device.kid })
  const way = (name: string, make: () => unknown) => refusalsOf<Call>(call, s.root, { [name]: make })
  const { link } = s.deps
  /** While the link sends requests with `request`. */
  const through = (name: string, request: typeof link.request, device: () => Promise<Device>): Refusals => ({
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
    ...way('device_not_supported', async () => of(await failing(s, 'not_supported'))),
    ...way('device_refused', async () => of(await failing(s, 'no_space'))),
    ...Object.assign(
      {},
      ...Object.entries(codes).map(([name, code]) => way(name, async () => of(await failing(s, code)))),
    ),
    // A person waits twenty seconds for a device that says nothing; a test does not.
    ...through(
      'device_no_answer',
      (kid, method, params) => link.request(kid, method, params, 50),
      () => silent(s),
    ),
    ...through(
      'device_answer_invalid',
      async () => 'nonsense',
      async () => s.w.devices[0]!,
    ),
  }
}
