import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'

declare module '../feature.ts' {
  interface Things {
    configuration_change_kid: string
  }
}

/** How devices are configured. */
export const terminalConfig: Feature = {
  async make({ call, device }) {
    await call.terminalConfig.save({
      ltscope: 40,
      terminal_kid: device.kid,
      ntp: { server: 'ntp.example.com', every_hours: 12 },
    })
    const { items } = await call.terminalConfig.change_paging({ terminal_kid: device.kid })
    return { configuration_change_kid: items[0]!.kid }
  },
  inputs: (t) => {
    const device = { ltscope: 40, terminal_kid: t.terminal_kid }
    const url_lists = { whitelist: 'example.com', blacklist: '' }
    return {
      'terminal_config/get': device,
      'get/current': { ...device, type: 1 },
      'get/current_config': { ...device, types: '2,99' },
      'get/terminal/config/other/info': { type: 1, terminal_group_kid: t.group_kid },
      'terminal_config/paging': { ltscope: 30, terminal_group_kid: t.group_kid },
      'terminal_config/save': { ...device, url_lists },
      'terminal_config/reset': { ...device, sections: ['url_lists'] },
      'terminal_config/copy': {
        ltscope: 20,
        terminal_group_kids: [t.group_kid],
        terminal_kids: [t.terminal_kid],
      },
      'terminal_config/affected': { ...device, url_lists },
      'terminal_config/change_paging': { terminal_kid: t.terminal_kid },
      'terminal_config/change_get': { kid: t.configuration_change_kid },
      'terminal_config/revert': { kid: t.configuration_change_kid },
      'terminal_config/get_statistical_result': { terminal_group_kid: t.group_kid, type: 1 },
      'terminal_config/drift': { terminal_group_kid: t.group_kid, change_kid: t.configuration_change_kid },
      'retry/terminals/config/policy': { terminal_kids: [t.terminal_kid] },
      'ops/terminal_config/get': {},
      'ops/terminal_config/get_config': { types: '1' },
      'ops/terminal_config/save': { map_type: { map_type: '2' } },
      'ops/terminal_config/reset': { sections: ['map_type'] },
    }
  },
  refusals: ({ root, w }) =>
    refusalsOf(contract.terminalConfig.calls.copy, root, {
      config_to_push_missing: async () => {
        const group = await root.terminalGroup.insert({ name: `Bare ${w.customers.length}`, parent_kid: 'ROOT' })
        return { ltscope: 30, terminal_group_kid: group.kid, terminal_group_kids: [group.kid] }
      },
    }),
  tables: ['terminal_config', 'configuration', 'configuration_change'],
}
