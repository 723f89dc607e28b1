import { inabilities, inabilityOf } from '@mdm/contract'
import type { PushTaskType, TerminalRow } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'

export type Able = Pick<TerminalRow, 'agent_kind' | 'task_types'>

/** Says why none of these devices does a thing; undefined where one does, or where nothing is known of them. */
export function useInability(): (
  devices: readonly Able[],
  work: Parameters<typeof inabilityOf>[1],
) => string | undefined {
  const textOf = useTextOf()
  return (devices, work) => {
    const found = new Set(devices.map((device) => inabilityOf(device, work)))
    if (found.has(undefined)) return undefined
    const [only, other] = found
    return only && textOf(inabilities[other ? 'not_capable' : only])
  }
}
/** How many of these devices do not carry out a push of this kind. */
export const unableCount = (devices: readonly Able[], type: PushTaskType): number =>
  devices.filter((device) => inabilityOf(device, type)).length
