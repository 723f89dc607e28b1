import { constants, pushKindOf } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'

export type Rules = {
  /** Counts for the password. */
  is_destructive?: boolean
  /** Many of them begin after a delay in which they can be stopped. */
  is_delayed?: boolean
  /** How many devices of one account it may be done to within an hour. */
  per_hour?: number
  /** What becomes of it where a second person has to approve it. Absent: nobody has to. */
  unapproved?: 'waits' | 'refused'
}

/** What takes devices out of people's hands without being a push. All of it counts for the password. */
const acts = {
  /** Saving, copying, resetting and going back to sections that take hold of devices. */
  change_configuration: { unapproved: 'waits' },
  /** What holds again was in force before, and stopping waits for nobody. */
  abort_configuration: {},
  /** The platform is nobody's account, and so nobody could approve it. */
  change_platform_configuration: {},
  /** Setting, changing, resetting and deleting a fence that locks or rings. */
  change_fence: { unapproved: 'refused' },
  /** Using a profile, and no longer using it. */
  use_profile: { unapproved: 'refused' },
  move: { unapproved: 'refused' },
  move_group: { unapproved: 'refused' },
  delete_group: { unapproved: 'refused' },
  /** The pushes that these make wait for themselves. */
  save_alert_rule: {},
  save_push_schedule: {},
  uninstall_app: {},
  renew_secret: {},
  /** It has to be quick, and is taken back by one call. */
  mark_lost: {},
  deregister: {},
  scrap: { is_delayed: true, per_hour: constants.scrapped_per_hour },
} as const satisfies Record<string, Rules> & Partial<Record<PushTaskType, never>>

type NamedAct = keyof typeof acts
export type Act = PushTaskType | NamedAct
export const namedActs = Object.keys(acts) as NamedAct[]

export const isPush = (act: Act): act is PushTaskType => !(act in acts)
/** The rules of a push stand in its row of the contract. */
export const rulesOf = (act: Act): Rules =>
  isPush(act) ? { ...pushKindOf(act), unapproved: 'waits' } : { is_destructive: true, ...acts[act] }
