import type { Up } from '@mdm/device-link'
import type { Moment } from '../shared/visit.ts'
import type { KeptWanted } from '../shared/wanted-work.ts'
import type { HeadwindConfig } from './config.ts'

export type Kept = Omit<KeptWanted, 'config'> & {
  config?: HeadwindConfig
  /** What the agent last said of its device. */
  serial?: string
  inventory: Up['hello']['inventory']
  has_kiosk?: boolean
}
export type Turn = Moment<Kept>

/** What the agent calls itself. */
export const agent_package = 'com.hmdm.launcher'
