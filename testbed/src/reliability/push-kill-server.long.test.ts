import { test } from 'vitest'
import { killableServer } from './killable.ts'
import { survives, survivesUpdates } from './push-survival.ts'

const minute = 60_000

test.each([
  ['every kind', survives],
  ['an OS update', survivesUpdates],
])(
  'R2: %s under every condition ends once, whichever state the server is killed in',
  async (_what, run) => {
    await using server = await killableServer()
    await run(server, () => server.killAndRestart())
  },
  10 * minute,
)
