import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { requestRefusals } from '../shared/device-requests.ts'

const calls = contract.terminalApp.calls

/** Apps on devices. */
export const terminalApp: Feature = {
  inputs: (t) => ({
    'terminal_app/list': { terminal_kid: t.terminal_kid },
    'terminal_app/uninstall': { terminal_kid: t.terminal_kid, package: 'com.example.scan' },
    'terminal_app/set_permission': {
      terminal_kid: t.terminal_kid,
      package: 'com.example.scan',
      permission: 'camera',
      state: 'deny',
    },
  }),
  refusals: (s) => ({
    ...requestRefusals(s, calls.list, {}, {}),
    ...requestRefusals(s, calls.uninstall, { package: 'a' }, { device_app_missing: 'not_found' }),
    ...requestRefusals(
      s,
      calls.set_permission,
      { package: 'a', permission: 'camera', state: 'deny' },
      { device_app_missing: 'not_found' },
    ),
  }),
}
