import { constants } from '@mdm/contract'
import type { ActorWith } from '../../http/context.ts'
import { refuse } from '../../refusal.ts'

/** Devices that something takes out of people's hands, or is about to keep them there. docs/brakes.md lists what does. */
export type Hit = {
  devices: number
  /** For a group or an account, and so for devices that come later too: as many as ask for the password. */
  is_lasting: boolean
}
export const no_hit: Hit = { devices: 0, is_lasting: false }

/**
 * What stands before everything that takes devices out of people's hands without being a push, which has the same and begins
 * later (`insert`). Many of them ask for the password. Answers whether a second person has to approve it before it holds.
 * @throws `password_required`
 */
export async function brake(
  actor: ActorWith<'destroys' | 'asksApproval'>,
  { devices, is_lasting }: Hit,
): Promise<boolean> {
  await actor.destroys(is_lasting ? Math.max(devices, constants.password_from_devices) : devices)
  return actor.asksApproval(devices)
}

/** The same for what holds at once and cannot wait for anybody. @throws `password_required`, `second_person_needed` */
export async function brakeNow(actor: ActorWith<'destroys' | 'asksApproval'>, hit: Hit): Promise<void> {
  if (await brake(actor, hit)) refuse('second_person_needed')
}
