import { describe, test } from 'vitest'
import { behindMosquitto, has_mosquitto } from './push-kills.ts'
import { survives, survivesUpdates } from './push-survival.ts'

const minute = 60_000
const title = has_mosquitto ? 'behind mosquitto' : 'behind mosquitto (skipped: the command mosquitto is not installed)'

describe.runIf(has_mosquitto)(title, () => {
  test.each([
    ['every kind', survives],
    ['an OS update', survivesUpdates],
  ])(
    'R2: %s under every condition ends once, whichever state the broker is killed in',
    (_what, run) => behindMosquitto(run),
    10 * minute,
  )
})
