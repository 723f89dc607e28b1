import { contract } from '@mdm/contract'
import { asked } from './provoke-device-files.ts'
import { ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const { refresh } = contract.terminalLocation.calls

export const locationProvocations = (s: Stage): Provocations => ({
  ...asked(s, refresh, {}, { device_location_unknown: 'no_location' }),
  ...ways(refresh, s.root, {
    task_running: async () => {
      const { kid } = await s.w.addDevice()
      const expires_at = new Date(s.deps.clock.now().getTime() + 60_000)
      await s.deps.db
        .insertInto('location_refresh')
        .values({ terminal_kid: kid, account_kid: s.customer_kid, expires_at })
        .execute()
      return { terminal_kid: kid }
    },
  }),
})
