import { realClock } from '@mdm/server/lib/clock.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { world } from '../world.ts'

const year_ms = 365 * 86_400_000

test('R14: a clock that is a year ahead for a moment ends nobody’s session, is told, and loses no message', async () => {
  let ahead_ms = 0
  const clock = { ...realClock, now: () => new Date(Date.now() + ahead_ms) }
  await using w = await world({ agents: 1, overrides: { clock } })
  const { deps } = w.server
  const health = async () => ((await (await fetch(`${w.url}/health`)).json()) as { data: unknown }).data
  expect(await health()).toMatchObject({ database: 'up', clock_doubt: null })
  const home = async () => (await w.operator.opsHome.overview({})).nodes[0]
  expect(await home()).toMatchObject({ clock_doubt: null })

  const customer = w.customers[0]!
  await customer.terminal.facets({})
  ahead_ms = year_ms
  await expect(customer.terminal.facets({})).rejects.toThrow()
  const name = `operation_log_y${new Date(Date.now() + year_ms).getUTCFullYear()}`
  await until('partitions of the new time', async () => {
    const { rows } = await deps.database.pool.query('select 1 from pg_class where relname like $1', [`${name}%`])
    return rows.length > 0 || undefined
  })
  ahead_ms = 0
  // What an ended session shows is kept for a second.
  await until('the session', async () => (await customer.terminal.facets({}).catch(() => undefined)) && true)
  expect(await health()).toMatchObject({ database: 'up', clock_doubt: { is_start: false } })
  await until('home', async () => ((await home())?.clock_doubt ? true : undefined))
  const task = await customer.pushTask.insert({
    type: 'message',
    payload: { title: 't', text: 't' },
    terminal_kids: [w.devices[0]!.kid],
  })
  await until(
    'the message',
    async () => (await customer.pushTask.get({ kid: task.kid })).result === 'all_succeeded' || undefined,
  )
})
