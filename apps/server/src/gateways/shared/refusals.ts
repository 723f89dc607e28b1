import { inabilities, inabilityOf } from '@mdm/contract'
import type { GatewayKind } from '@mdm/contract'
import type { Down, Up } from '@mdm/device-link'

/** How a task ends. */
export type Ended = Pick<Up['task'], 'state' | 'code' | 'message' | 'result'>

export const cannot = (code: string, message: string): Ended => ({ state: 'failed', code, message })

/** Of kinds that somebody pushed before the device had said what it can do. */
export const unable = (agent_kind: GatewayKind, type: Down['task']['type']): Ended =>
  cannot('not_supported', inabilities[inabilityOf({ agent_kind, task_types: [] }, type) ?? 'not_capable'].en)
