import type { Deps } from '../../../deps.ts'
import { wakePushes } from '../../push-task/service.ts'
import { configurationChanges } from './background.ts'
import type { WritePlace } from '../levels/reach.ts'
import { wake } from '../../../lib/background.ts'

/** Tells the console, and the devices as soon as they are owed. */
export function announce(deps: Deps, { account_kid, terminal_kid, terminal_group_kid }: WritePlace): void {
  if (account_kid)
    deps.live.publish(account_kid, { type: 'terminal_config', kid: terminal_kid ?? terminal_group_kid ?? account_kid })
  deps.link.wake(terminal_kid === null ? [] : [terminal_kid])
  wake(deps, configurationChanges)
  wakePushes(deps)
}
