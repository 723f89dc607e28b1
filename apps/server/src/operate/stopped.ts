import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/client.ts'
import { migrations } from '../db/schema/migrations/index.ts'
import { realClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { newMemory } from '../memory.ts'
import { assertNotMoved } from '../lib/moved-mark.ts'
import type { Answers } from './asks.ts'
import { move } from './move/move.ts'
import type { Destination, Moved } from './move/move.ts'
import { giveNewPassword } from './people.ts'

/** As the server does that runs here: nobody writes meanwhile. */
export async function moveStopped(config: Config, to: Destination): Promise<Moved> {
  await assertNotMoved(config.data)
  const log = createLog('warn')
  const database = await openDatabase({ data_dir: join(config.data, 'db'), migrations, log, maintenance_every_ms: 0 })
  try {
    const { signal } = new AbortController()
    return await move({ config, database, log, pause: () => {}, signal }, to)
  } finally {
    await database.close()
  }
}

/** While no server runs here, its database is opened for the moment. */
export async function resetPasswordOfStopped(config: Config, username: string): Promise<Answers['reset_password']> {
  const log = createLog('silent')
  const database = await openDatabase({
    ...(config.database_url === undefined ? { data_dir: join(config.data, 'db') } : { url: config.database_url }),
    migrations,
    log,
    maintenance_every_ms: 0,
  })
  try {
    return await giveNewPassword({ db: database.kysely, clock: realClock, memory: newMemory(), log }, username)
  } finally {
    await database.close()
  }
}
