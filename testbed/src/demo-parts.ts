import { requireAppForDemo } from './demo-apps.ts'
import type { DemoCallers } from './demo-callers.ts'
import { addAlertRulesForDemo, setFenceForDemo } from './demo-fence.ts'
import { buildCustomOsForDemo, releaseOsForDemo } from './demo-os.ts'
import { pushForDemo, rollOutForDemo } from './demo-pushes.ts'

type DemoPart = {
  /** As it is noted when it is made, and as a failure names it. */
  name: string
  /** Makes the part through the calls of the console. Each thing is looked for first, so that an interrupted part is completed. */
  make: (callers: DemoCallers) => Promise<void>
}

/** What the demo shows beside people, groups and devices, in the order in which it is made. */
export const demoParts: readonly DemoPart[] = [
  { name: 'pushes', make: pushForDemo },
  { name: 'rollout', make: rollOutForDemo },
  { name: 'required app', make: requireAppForDemo },
  { name: 'fence', make: setFenceForDemo },
  { name: 'alert rules', make: addAlertRulesForDemo },
  { name: 'OS version', make: releaseOsForDemo },
  { name: 'custom OS', make: buildCustomOsForDemo },
]

type Making = {
  callers: DemoCallers
  /** Names of the parts that an earlier start has made. */
  made: readonly string[]
  onMade: (name: string) => void | Promise<void>
  onFailed: (name: string, error: Error) => void
  parts?: readonly DemoPart[]
  signal?: AbortSignal
}

/** Makes the parts that are not there yet, one after the other. A part that fails does not stop the others. */
export async function makeParts({ callers, made, onMade, onFailed, parts = demoParts, signal }: Making): Promise<void> {
  for (const { name, make } of parts.filter((part) => !made.includes(part.name))) {
    try {
      await make(callers)
      if (signal?.aborted) return
      await onMade(name)
    } catch (error) {
      if (signal?.aborted) return
      onFailed(name, error as Error)
    }
  }
}
