import type { ConfigSection } from '@mdm/contract'
import type { ActorWith } from '../../../../http/context.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { cancelAll, cancelPhase } from '../../../push/push-task/index.ts'
import { changeOf, placeOf } from '../edit/change.ts'
import { writable } from '../service.ts'

/**
 * Ends the steps of a change, which takes it back: those devices that have it already get the former values again. Whoever
 * may change the level may end its change, also for devices that somebody with a longer reach began with.
 */
export async function abort(actor: ActorWith<'may'>, kid: string) {
  const change = await changeOf(actor.scope, kid)
  const place = placeOf(change)
  await writable(actor, place)
  const { push_task_kid, sections: changed, version } = change
  const whole = { ...actor, visible_groups: undefined }
  if (!change.is_staged || push_task_kid === null || !(await cancelPhase(whole, push_task_kid)))
    return refuse('config_not_in_steps')
  await cancelAll(whole, { push_task_kid }).catch((error: unknown) => {
    // None of its devices had a row yet, or none has anything left to do.
    if (!(error instanceof Refusal)) throw error
  })
  return { changed: changed as ConfigSection[], version, place }
}
