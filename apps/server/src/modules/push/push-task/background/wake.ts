import type { Deps } from '../../../../deps.ts'
import { wake } from '../../../../lib/background.ts'
import { pushLists } from './freezing.ts'
import { pushes } from './phase-worker.ts'

/** Works off, in the background, what pushes wait for, and the lists of their devices. */
export function wakePushes(deps: Deps): void {
  wake(deps, pushLists)
  wake(deps, pushes)
}
