import {
  fenceForDevice,
  fencesOf,
  judgeHeard,
  openFence,
  publishFences,
} from './modules/configuration/electronic-fence/index.ts'
import { apiListsOf } from './modules/configuration/api-authorisation/index.ts'
import {
  configForDevice,
  endConfirmed,
  groupPath,
  stagedValuesOf,
  isEqual,
  levelsOf,
  profilesFor,
  settingsOf,
  withStaged,
} from './modules/configuration/terminal-config/index.ts'
import { collectedWhileLost, lostOf } from './modules/devices/terminal-lost/index.ts'
import { admit, left, watch } from './modules/devices/terminal-remote/index.ts'
import { keepInstalled } from './modules/fleet/installed-app/index.ts'
import {
  applyReports,
  failTooLarge,
  loadOutgoing,
  kindOf,
  lockRows,
  openStates,
  otherwiseDelivered,
  tellMoves,
  encodeOutgoing,
} from './modules/push/push-task/index.ts'
import { recordHeard } from './modules/watch/webhook/index.ts'

/**
 * Functions of modules that the device link and the HTTP edge need. Both stand below the modules and import none: they reach
 * these functions through `deps.features`.
 */
export const features = {
  pushes: {
    applyReports,
    failTooLarge,
    loadOutgoing,
    kindOf,
    lockRows,
    openStates,
    otherwiseDelivered,
    tellMoves,
    encodeOutgoing,
  },
  configurations: {
    configForDevice,
    endConfirmed,
    groupPath,
    stagedValuesOf,
    isEqual,
    levelsOf,
    profilesFor,
    settingsOf,
    withStaged,
  },
  fences: { fenceForDevice, fencesOf, judgeHeard, openFence, publishFences },
  api_lists: { apiListsOf },
  lost_devices: { collectedWhileLost, lostOf },
  installed_apps: { keepInstalled },
  webhooks: { recordHeard },
  tunnels: { admit, left, watch },
}
export type Features = typeof features
