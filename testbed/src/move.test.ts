import { contract, errors } from '@mdm/contract'
import { readConfig } from '@mdm/server/config.ts'
import { runningServer } from '@mdm/server/operate/ask-server.ts'
import { startServer } from '@mdm/server/server.ts'
import type { RunningServer } from '@mdm/server/server.ts'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { postgres_missing, startPostgres } from '@mdm/server/testing/postgres.ts'
import type { TestPostgres } from '@mdm/server/testing/postgres.ts'
import { password_cost } from '@mdm/server/testing/deps.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from './until.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(postgres_missing)(`a running server is moved (${postgres_missing ?? 'to PostgreSQL'})`, () => {
  let postgres: TestPostgres
  let here: World
  let next: RunningServer | undefined
  let env: Record<string, string>
  beforeAll(async () => {
    postgres = await startPostgres()
    env = { MDM_HTTP_PORT: String(await freePort()), MDM_MQTT_PORT: String(await freePort()) }
    here = await world({ env, agents: 1 })
  })
  afterAll(async () => {
    await next?.close()
    await here?.[Symbol.asyncDispose]()
    await postgres?.stop()
  })

  test('people read on and come back signed in, writes are refused meanwhile, and the device comes by itself', async () => {
    const { deps } = here.server
    const [customer] = here.customers
    const [device] = here.devices
    await customer!.terminalGroup.insert({ name: 'Before the move' })
    const running = (await runningServer(deps.config.data))!
    const url = await postgres.createDatabase()
    const moved = await running.ask({ ask: 'move', to: { database_url: url, data: deps.config.data } })
    running.close()
    expect(moved.rows).toBeGreaterThan(50)

    const late = await customer!.try_(contract.terminalGroup.calls.insert, { name: 'Too late' })
    expect(late.result).toBe(errors.unavailable.result)
    expect((await customer!.terminalGroup.list({})).map(({ name }) => name)).toContain('Before the move')
    // The device stays connected, and what it says is not acknowledged: it says it again.
    expect((await customer!.terminal.get({ kid: device!.kid })).is_online).toBe(true)
    await here.server.close()

    next = await startServer(
      readConfig(
        {
          ...env,
          MDM_DATA: deps.config.data,
          MDM_HTTP_HOST: '127.0.0.1',
          MDM_MQTT_HOST: '127.0.0.1',
          MDM_LOG_LEVEL: 'silent',
          DATABASE_URL: url,
        },
        { env_file: '/nowhere' },
      ),
      { password_cost },
    )
    const names = await next.deps.db.selectFrom('terminal_group').select('name').execute()
    expect(names.map(({ name }) => name)).toContain('Before the move')
    expect(names.map(({ name }) => name)).not.toContain('Too late')
    // Signed in still, and the device has come by itself.
    await until('the device is online', async () => (await customer!.terminal.get({ kid: device!.kid })).is_online)
    expect((await here.customers[0]!.terminalGroup.insert({ name: 'After the move' })).kid).toBeTruthy()
  })
})
