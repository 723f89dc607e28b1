import type { Things } from './inputs.ts'

/** An input that parses for every call about configuration and what devices said over days. */
export const telemetryInputs = (t: Things): Record<string, Record<string, unknown>> => {
  const device = { ltscope: 40, terminal_kid: t.terminal_kid }
  return {
    'terminal_config/get': device,
    'get/current_config': { ...device, types: '2,99' },
    'terminal_config/save': { ...device, url_lists: { whitelist: 'example.com', blacklist: '' } },
    'terminal_config/reset': { ...device, sections: ['url_lists'] },
    'terminal/get_online_curve': { terminal_kid: t.terminal_kid, days: 2 },
    'terminal/list_battery': { terminal_kid: t.terminal_kid },
    'terminal/list_usage': { terminal_kid: t.terminal_kid, days: 7 },
  }
}
