import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    configuration_kid: string
    configuration_change_kid: string
    platform_change_kid: string
  }
}

/** How devices are configured. */
export const terminalConfig: Feature = {
  async make({ w, call, device }) {
    await call.terminalConfig.save({
      ltscope: 40,
      terminal_kid: device.kid,
      ntp: { server: 'ntp.example.com', every_hours: 12 },
    })
    const { items } = await call.terminalConfig.change_paging({ terminal_kid: device.kid })
    const { items: configurations } = await call.terminalConfig.paging({})
    await w.operator.opsTerminalConfig.save({ map_type: { map_type: '2' } })
    const { items: of_platform } = await w.operator.opsTerminalConfig.change_paging({})
    return {
      configuration_change_kid: items[0]!.kid,
      configuration_kid: configurations[0]!.kid,
      platform_change_kid: of_platform[0]!.kid,
    }
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
      'terminal_config/update': { kid: t.configuration_kid, name: 'Sweep' },
      'terminal_config/reset': { ...device, sections: ['url_lists'] },
      'terminal_config/copy': {
        ltscope: 20,
        terminal_group_kids: [t.group_kid],
        terminal_kids: [t.terminal_kid],
      },
      'terminal_config/copy_affected': {
        ltscope: 20,
        terminal_group_kids: [t.group_kid],
        terminal_kids: [t.terminal_kid],
      },
      'terminal_config/affected': { ...device, url_lists },
      'terminal_config/change_paging': { terminal_kid: t.terminal_kid },
      'terminal_config/change_get': { kid: t.configuration_change_kid },
      'terminal_config/revert': { kid: t.configuration_change_kid },
      'terminal_config/abort': { kid: t.configuration_change_kid },
      'terminal_config/get_statistical_result': { terminal_group_kid: t.group_kid, type: 1 },
      'terminal_config/drift': { terminal_group_kid: t.group_kid, change_kid: t.configuration_change_kid },
      'retry/terminals/config/policy': { terminal_kids: [t.terminal_kid] },
      'terminal_config/list_app': { text: 'sweep' },
      'terminal_config/app_settings': { package: 'com.example.sweep' },
      'ops/terminal_config/list_app': {},
      'ops/terminal_config/app_settings': { package: 'com.example.sweep' },
      'ops/terminal_config/get': {},
      'ops/terminal_config/get_config': { types: '1' },
      'ops/terminal_config/save': { map_type: { map_type: '2' } },
      'ops/terminal_config/affected': { map_type: { map_type: '1' } },
      'ops/terminal_config/change_paging': {},
      'ops/terminal_config/change_get': { kid: t.platform_change_kid },
      'ops/terminal_config/revert': { kid: t.platform_change_kid },
      'ops/terminal_config/reset': { sections: ['map_type'] },
    }
  },
  refusals,
  tables: ['terminal_config', 'configuration', 'configuration_change'],
  not_found: ['config_not_in_steps', 'device_not_found'],
}

const calls = contract.terminalConfig.calls

function refusals({ root, unique, absentDevice }: Stage): Refusals {
  const ntp = { server: 'ntp.example.com', every_hours: 12 }
  /** A group with these devices, and its newest change. */
  const group = async (devices: number) => {
    const { kid } = await root.terminalGroup.insert({ name: unique('Stepwise'), parent_kid: 'ROOT' })
    const terminal_kids = await Promise.all(Array.from({ length: devices }, () => absentDevice()))
    if (devices > 0) await root.terminal.move_group_batch({ terminal_kids, terminal_group_kid: kid })
    return { ltscope: 30, terminal_group_kid: kid }
  }
  /** One whose configuration is going out in steps. */
  const inSteps = async () => {
    const place = await group(2)
    await root.terminalConfig.save({ ...place, ntp, rollout: { steps: [{ count: 1 }] } })
    return place
  }
  const newest = async (place: object) => (await root.terminalConfig.change_paging(place)).items[0]!.kid
  return {
    ...refusalsOf(calls.save, root, {
      config_in_steps: async () => ({ ...(await inSteps()), ntp: { ...ntp, every_hours: 24 } }),
    }),
    ...refusalsOf(calls.reset, root, { config_in_steps: inSteps }),
    ...refusalsOf(calls.copy, root, {
      config_in_steps: async () => {
        const from = await group(0)
        await root.terminalConfig.save({ ...from, ntp: { ...ntp, every_hours: 24 } })
        return { ...from, terminal_group_kids: [(await inSteps()).terminal_group_kid] }
      },
      config_to_push_missing: async () => {
        const bare = await group(0)
        return { ...bare, terminal_group_kids: [bare.terminal_group_kid] }
      },
    }),
    ...refusalsOf(calls.revert, root, {
      config_in_steps: async () => {
        const place = await group(2)
        await root.terminalConfig.save({ ...place, ntp })
        const kid = await newest(place)
        await root.terminalConfig.save({
          ...place,
          ntp: { ...ntp, every_hours: 24 },
          rollout: { steps: [{ count: 1 }] },
        })
        return { kid }
      },
    }),
    ...refusalsOf(calls.retry, root, { device_not_found: () => ({ terminal_kids: [unknownKid] }) }),
    ...refusalsOf(calls.abort, root, {
      config_not_in_steps: async () => {
        const place = await group(0)
        await root.terminalConfig.save({ ...place, ntp })
        return { kid: await newest(place) }
      },
    }),
  }
}
