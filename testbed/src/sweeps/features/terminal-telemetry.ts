import type { Feature } from '../feature.ts'

/** What devices said over days. */
export const terminalTelemetry: Feature = {
  inputs: (t) => ({
    'terminal/get_online_curve': { terminal_kid: t.terminal_kid, days: 2 },
    'terminal/list_battery': { terminal_kid: t.terminal_kid },
    'terminal/list_usage': { terminal_kid: t.terminal_kid, days: 7 },
  }),
}
