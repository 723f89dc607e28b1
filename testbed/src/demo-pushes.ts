import type { Caller } from './caller.ts'
import { uploadFile } from './upload.ts'

type Pushed = Parameters<Caller['pushTask']['insert']>[0]

const opening: Pushed = {
  type: 'message',
  payload: { title: 'Opening hours', text: 'From Monday on the depot opens at 6:30.' },
  match: {},
}
const checklist = `Before you leave
1. Handheld charged above 80 %
2. Label printer paired
3. Route downloaded
`
const tomorrow = (hour: number): string => {
  const at = new Date(Date.now() + 86_400_000)
  at.setHours(hour, 0, 0, 0)
  return at.toISOString()
}

/** What a newcomer finds under Push tasks: work of several kinds and in several states, made as a person would make it. */
export async function pushForDemo(call: Caller): Promise<void> {
  await call.pushTask.insert(opening)
  const name = 'Driver checklist.txt'
  const file = await call.fileCloud.insert({ upload_kid: await uploadFile(call, name, Buffer.from(checklist)), name })
  await call.pushTask.insert({
    type: 'file',
    payload: { file_kids: [file.kid], path: '/Documents' },
    match: {},
    description: 'Checklist for drivers',
    rollout: { steps: [{ percent: 10 }, { percent: 50 }], success_percent: 80 },
    conditions: { deadline_at: tomorrow(20) },
  })
  await call.pushTask.insert({
    type: 'message',
    payload: { title: 'Inventory', text: 'Count the returns shelf before noon.' },
    match: { is_online: true },
    description: 'For whoever is online when it was made',
    conditions: { start_at: tomorrow(7) },
  })
  await call.pushTemplate.insert({ name: 'Call back to the depot', push: { type: 'find', payload: { seconds: 20 } } })
  await call.pushSchedule.insert({
    name: 'Weekly reminder',
    cron: '0 8 * * 1',
    zone: 'Asia/Ho_Chi_Minh',
    to: { match: {} },
    push: { type: 'message', payload: { title: 'Update your routes', text: 'Download the routes of this week.' } },
  })
}
