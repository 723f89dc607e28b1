import { randomBytes } from 'node:crypto'
import { models } from '@mdm/agent/body/simulated-models.ts'
import { Refused } from '../caller.ts'
import type { Caller } from '../caller.ts'
import { addUidOf } from '../demo-os.ts'
import { releaseOs } from '../os-release.ts'
import { confirmPassword } from '../sign-in.ts'
import { until } from '../until.ts'
import type { Line } from './compare.ts'
import type { Act, Subject } from './soak.ts'

type Site = {
  customer: Caller
  operator: Caller
  /** The server ends as a deploy ends it, and is started again. */
  deploy: () => Promise<void>
  databaseAway: () => Promise<void>
  brokerAway: () => Promise<void>
}

/** How long a push may take after the last device has come back: what a broker lost goes out for the third time after 155 s. */
const patience_s = 600
const version = { os_version: '99.0.1', version_code: 99, ver: 999 }
const { uid } = models[0]!

/**
 * A day of a site: three shifts that come and go, a message to everybody every two hours, an OS rollout at night, a deploy
 * before the first shift, and an outage of database and broker in the morning. From noon on nothing is disturbed.
 */
export function dayOf(site: Site) {
  const { customer, operator } = site
  const pushes: { what: string; kid: string }[] = []
  const at = (hour: number, what: string, run: Act['run']): Act => ({
    at: hour / 24,
    what: `${String(Math.floor(hour)).padStart(2, '0')}:${String((hour % 1) * 60).padStart(2, '0')} ${what}`,
    run,
  })
  const message = (hour: number) =>
    at(hour, 'a message to everybody', async () => {
      const title = `Message of ${hour}:00`
      const { kid } = await patiently(title, () =>
        customer.pushTask.insert({
          ...{ type: 'message', payload: { title, text: 'For all shifts' }, match: {} },
        }),
      )
      pushes.push({ what: title, kid })
    })
  const shift = (hour: number, works: number) =>
    at(hour, `shift ${works + 1} begins`, async ({ all, putOff, putOn }) => {
      for (const [index, subject] of all.entries())
        if (index % 3 === works) putOn(subject)
        else if (subject.agent.state !== 'stopped') putOff(subject)
    })
  const rollout = at(2, 'an OS goes out', async () => {
    const uid_kid = await addUidOf(operator, uid, 'Day')
    const content = randomBytes(60_000).toString('base64')
    const os_version_kid = await releaseOs(operator, { uid_kid, uid, version, content })
    await confirmPassword(customer)
    const { kid } = await customer.pushTask.insert({ ...{ type: 'os', payload: { os_version_kid }, match: {} } })
    pushes.push({ what: `OS ${version.os_version}`, kid })
  })
  const acts = [
    ...[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23].map(message),
    rollout,
    at(4, 'a deploy: the server ends and is started again', site.deploy),
    shift(6, 0),
    at(8, 'the database is away for half a minute', site.databaseAway),
    at(10, 'the broker is killed, and started again after half a minute', site.brokerAway),
    shift(14, 1),
    shift(22, 2),
    at(23.5, 'everybody is on', async ({ all, putOn }) => {
      for (const subject of all) putOn(subject)
    }),
  ].toSorted((a, b) => a.at - b.at)
  return { acts, more: (subjects: readonly Subject[]) => linesOf(customer, pushes, subjects) }
}

/** As a script does that is told to try again shortly: a database that is back is not noticed at once. */
const patiently = <T>(what: string, call: () => Promise<T>): Promise<T> =>
  until(
    what,
    () =>
      call().catch((error: unknown) => {
        if (error instanceof Refused && error.status === 503) return undefined
        throw error
      }),
    120,
  )

/** Of each push how many devices the server counts as done, beside how many there are; of the OS how many run it. */
async function linesOf(
  customer: Caller,
  pushes: readonly { what: string; kid: string }[],
  subjects: readonly Subject[],
): Promise<Line[]> {
  const tasks = () =>
    patiently('the pushes', () => Promise.all(pushes.map(({ kid }) => customer.pushTask.get({ kid }))))
  await until('every push to be ended', async () => (await tasks()).every(({ phase }) => phase === 'ended'), patience_s)
  const builds = await Promise.all(subjects.map(({ body }) => body.os?.build()))
  const updated = builds.filter((build) => build?.os_version === version.os_version).length
  return (await tasks()).map((task, index): Line => {
    const simulated = task.type === 'os' ? updated : subjects.length
    const server = task.counts.completed
    const is_same = server === simulated && (task.type !== 'os' || server > 0)
    return {
      what: `done: ${pushes[index]!.what}`,
      simulated,
      server,
      differing: is_same ? 0 : Math.max(1, Math.abs(simulated - server)),
      worst: JSON.stringify(task.counts),
    }
  })
}
