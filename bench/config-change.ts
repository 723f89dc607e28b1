import { setTimeout as delay } from 'node:timers/promises'
import { contract, ltscopes } from '@mdm/contract'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { insertFleet } from './device-rows.ts'
import { against, interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'

const [rounds, devices] = [5, 100_000]
const [answer_seconds, owed_seconds] = [1, 30]
const { save, abort, change_paging } = contract.terminalConfig.calls
const { insert } = contract.terminalGroup.calls

type Edit = { kid: string; answered: number; owed: number }

/** An edit of a group with a whole fleet: until it is answered, until every device is owed it; against one UPDATE of their rows. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const { client, call, account_kid } = site
    await insertFleet(client, { account_kid, devices, groups: 120 })
    const { kid } = await call(insert, { name: 'Everything', parent_kid: 'ROOT' })
    await client.query('UPDATE terminal SET terminal_group_kid = $1 WHERE account_kid = $2', [kid, account_kid])
    await client.query('VACUUM ANALYZE')
    const place = { ltscope: ltscopes.group, terminal_group_kid: kid }
    let edits = 0
    const edit = () => changed(site, place, ++edits)
    // The first one makes the rows that the others and the plain statement update.
    await edit()
    await client.query('VACUUM ANALYZE')
    const answers: Sample[] = []
    const times: Sample[] = []
    const pairs = await interleaved(
      rounds,
      async () => {
        const { answered, owed } = await edit()
        answers.push(sampleOf(answered))
        times.push(sampleOf(owed))
        log(`${devices} devices: answered in ${answered.toFixed(2)} s, owed in ${owed.toFixed(2)} s`)
        return sampleOf(owed)
      },
      () => updated(site),
    )
    const in_steps: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      const staged = await changed(site, place, ++edits, { steps: [{ percent: 5 }, { percent: 25 }] })
      log(`${devices} devices in steps: answered in ${staged.answered.toFixed(2)} s`)
      in_steps.push(sampleOf(staged.answered))
      await call(abort, { kid: staged.kid })
      await allOwed(site, place)
    }
    const note = `${devices.toLocaleString('en')} registered devices in one group`
    return [
      row(
        'config',
        `seconds until answered / ${answer_seconds}`,
        against(answers, answer_seconds),
        '<= 1',
        (r) => r.median <= 1,
        [note],
      ),
      row('config', `seconds until owed / ${owed_seconds}`, against(times, owed_seconds), '<= 1', (r) => r.median <= 1),
      row('config', 'seconds until owed / seconds of one UPDATE of the same rows', pairs, '<= 4', (r) => r.median <= 4),
      row(
        'config',
        `in steps: seconds until answered / ${answer_seconds}`,
        against(in_steps, answer_seconds),
        '<= 1',
        (r) => r.median <= 1,
      ),
    ]
  })

type Place = { ltscope: number; terminal_group_kid: string }
async function changed({ call, ...site }: Site, place: Place, edits: number, rollout?: object): Promise<Edit> {
  const begun = performance.now()
  const since = () => (performance.now() - begun) / 1000
  await call(save, {
    ...place,
    ntp: { server: `clock-${edits}.example.com`, every_hours: 12 },
    ...(rollout && { rollout }),
  })
  const answered = since()
  const { kid } = await allOwed({ call, ...site }, place)
  return { kid, answered, owed: since() }
}

/** The newest change of the place, once nobody has to be told of it any more. */
async function allOwed({ call, client }: Site, place: Place) {
  for (;;) {
    const [change] = (await call(change_paging, { terminal_group_kid: place.terminal_group_kid, page_size: 1 })).items
    const { is_queuing } = change!.progress
    if (!is_queuing && !change!.is_in_steps) {
      const { rows } = await client.query(
        'SELECT count(*)::int AS n FROM terminal_config_delivery WHERE change_kid = $1',
        [change!.kid],
      )
      if (rows[0].n !== devices) throw new Error(`${rows[0].n} devices were owed it`)
    }
    if (!is_queuing) return change!
    await delay(50)
  }
}

/** The rows of an edit, by hand. */
async function updated({ client, account_kid }: Site): Promise<Sample> {
  const begun = performance.now()
  await client.query(
    `UPDATE terminal_config_delivery d SET is_dirty = true, sends = 0, send_at = 'epoch', change_kid = gen_random_uuid()
     FROM terminal t WHERE t.kid = d.terminal_kid AND t.account_kid = $1`,
    [account_kid],
  )
  return sampleOf((performance.now() - begun) / 1000)
}
