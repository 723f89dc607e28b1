import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import { requestRefusals } from '../shared/device-requests.ts'

const { refresh } = contract.terminalLocation.calls

/** Where devices are. */
export const terminalLocation: Feature = {
  inputs: (t) => ({
    'terminal_location/list': {
      terminal_group_kid: t.group_kid,
      bounds: { west: -180, south: -90, east: 180, north: 90 },
      zoom: 4,
    },
    'terminal_location/extent': { terminal_group_kid: t.group_kid },
    'terminal_location/tiles': {},
    'terminal_location/get': { terminal_kid: t.terminal_kid },
    'terminal_location/list_track': {
      terminal_kid: t.terminal_kid,
      from: '2026-01-01T00:00:00Z',
      until: '2026-01-02T00:00:00Z',
    },
    'terminal_location/refresh': { terminal_kid: t.terminal_kid },
  }),
  refusals: (s) => ({
    ...requestRefusals(s, refresh, {}, { device_location_unknown: 'no_location' }),
    ...refusalsOf(refresh, s.root, {
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
  }),
  tables: ['location_refresh'],
}
