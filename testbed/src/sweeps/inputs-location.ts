import type { Things } from './inputs.ts'

/** An input that parses for every call about where devices are. */
export const locationInputs = (t: Things): Record<string, Record<string, unknown>> => ({
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
})
