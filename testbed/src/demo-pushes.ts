import { models } from '@mdm/agent/body/simulated-models.ts'
import type { Caller } from './caller.ts'
import { findOrMake } from './demo-callers.ts'
import type { DemoCallers } from './demo-callers.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'

type Pushed = Parameters<Caller['pushTask']['insert']>[0]

const opening = 'Opening hours'
const tomorrow = (hour: number): string => {
  const at = new Date(Date.now() + 86_400_000)
  at.setHours(hour, 0, 0, 0)
  return at.toISOString()
}

const isCalled =
  (text: string) =>
  ({ summary, description }: { summary: string; description: string }) =>
    [summary, description].includes(text)
/** A push that has this text as its title or description, unless there is one. */
const pushOnce = (call: Caller, text: string, make: () => Pushed | Promise<Pushed>) =>
  findOrMake(call.pushTask.paging({ text }), isCalled(text), async () => call.pushTask.insert(await make()))

/** What a newcomer finds under Push tasks beside the rollout: an ended push, a planned one, a template, a maintenance window and a recurring push. */
export async function pushForDemo({ customer: call }: DemoCallers): Promise<void> {
  await pushOnce(call, opening, () => ({
    type: 'message',
    payload: { title: opening, text: 'From Monday on the depot opens at 6:30.' },
    match: {},
  }))
  const inventory = 'Inventory'
  await pushOnce(call, inventory, () => ({
    type: 'message',
    payload: { title: inventory, text: 'Count the returns shelf before noon.' },
    match: { is_online: true },
    description: 'For whoever is online when it was made',
    conditions: { start_at: tomorrow(7) },
  }))
  const template = 'Call back to the depot'
  if (!(await call.pushTemplate.list({})).some(({ name }) => name === template))
    await call.pushTemplate.insert({ name: template, push: { type: 'find', payload: { seconds: 20 } } })
  const window = 'Weekend at the depot'
  if (!(await call.maintenanceWindow.list({})).some(({ name }) => name === window))
    await call.maintenanceWindow.insert({ name: window, from: '20:00', to: '05:00', days: [6, 7] })
  const recurring = 'Weekly reminder'
  if (!(await call.pushSchedule.list({})).some(({ name }) => name === recurring))
    await call.pushSchedule.insert({
      name: recurring,
      cron: '0 8 * * 1',
      zone: 'Asia/Ho_Chi_Minh',
      to: { match: {} },
      push: { type: 'message', payload: { title: 'Update your routes', text: 'Download the routes of this week.' } },
    })
}

const checklist = `Before you leave
1. Handheld charged above 80 %
2. Label printer paired
3. Route downloaded
`

/**
 * Pushes a file in steps to handhelds with a SIM, over Wi-Fi only. The first step has devices that are in a Wi-Fi and have
 * done an earlier push. Some of the others are connected by their SIM and wait for a Wi-Fi, so that the rollout stays under
 * way until pushes expire, after a week.
 */
export async function rollOutForDemo({ customer: call }: DemoCallers): Promise<void> {
  const description = 'Checklist for drivers, over Wi-Fi'
  await pushOnce(call, description, async () => {
    const name = 'Driver checklist.txt'
    const file = await findOrMake(
      call.fileCloud.paging({ text: name }),
      (row) => row.name === name,
      async () => call.fileCloud.insert({ upload_kid: await uploadFile(call, name, Buffer.from(checklist)), name }),
    )
    const model = models.filter(({ has_sim }) => has_sim).map((each) => each.model)
    const picked_kids = await trustedKids(call, model)
    return {
      type: 'file',
      payload: { file_kids: [file.kid], path: '/Documents' },
      match: { model },
      description,
      conditions: { network: 'wifi' },
      rollout: {
        ...(picked_kids.length > 0 && { picked_kids }),
        steps: [{ percent: 60 }],
        success_percent: 75,
        error_percent: 50,
      },
    }
  })
}

/** Devices of these models that are in a Wi-Fi now and have shown the message of the opening hours, four at most. */
async function trustedKids(call: Caller, model: string[]): Promise<string[]> {
  const where = { all: [{ field: 'network_type' as const, op: 'is_one_of' as const, value: ['wifi'] }] }
  const { items: in_wifi } = await call.terminal.paging({ model, is_online: true, where, page_size: 100 })
  const message = (await call.pushTask.paging({ text: opening })).items.find(isCalled(opening))
  if (!message) return []
  const wanted = Math.min(4, in_wifi.length)
  let trusted: string[] = []
  const look = async () => {
    const shown = { push_task_kid: message.kid, states: ['completed' as const], page_size: 100 }
    const kids = new Set((await call.pushTask.paging_terminal(shown)).items.map(({ terminal_kid }) => terminal_kid))
    trusted = in_wifi.flatMap(({ kid }) => (kids.has(kid) ? [kid] : [])).slice(0, wanted)
    return trusted.length === wanted
  }
  // In a small fleet too few may answer: those that have are the first step then.
  await until('the message on devices in a Wi-Fi', look, 20).catch(() => {})
  return trusted
}
