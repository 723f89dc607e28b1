import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { finishOnce } from './finish.ts'
import { oweOnce } from './owe.ts'
import { stageOnce } from './stage.ts'
import { confirmOnce } from './steps.ts'

/** What configurations wait for: devices that are owed a change, and the steps of those that go out in steps. */
async function workOnce(deps: Deps): Promise<boolean> {
  return (await stageOnce(deps)) || (await finishOnce(deps)) || (await oweOnce(deps)) || (await confirmOnce(deps))
}

export const configurationChanges: SharedWork = { name: 'configurations', every_ms: 5_000, at_once: 1, run: workOnce }
