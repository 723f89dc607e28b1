import type { Feature } from '../feature.ts'

/** How devices are configured. */
export const terminalConfig: Feature = {
  inputs: (t) => {
    const device = { ltscope: 40, terminal_kid: t.terminal_kid }
    return {
      'terminal_config/get': device,
      'get/current_config': { ...device, types: '2,99' },
      'terminal_config/save': { ...device, url_lists: { whitelist: 'example.com', blacklist: '' } },
      'terminal_config/reset': { ...device, sections: ['url_lists'] },
    }
  },
  tables: ['terminal_config'],
}
