import type { ActorWith } from '../../../http/context.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { cancelAll, cancelPhase } from '../../push-task/service.ts'
import { changeOf, placeOf } from '../edit/change.ts'
import { writable } from '../service.ts'
import { announce } from './announce.ts'
import { takeBack } from './finish.ts'

/**
 * Ends the steps of a change: the level goes back to what was set before, so that those devices that have it already get the
 * former values again. The push is stopped first; a server that dies in between leaves the rest to `finishOnce`.
 */
export async function abort(actor: ActorWith<'may'>, kid: string) {
  const { deps, user, scope } = actor
  const change = await changeOf(scope, kid)
  const place = placeOf(change)
  await writable(actor, place)
  // Whoever may change the level may end its change, also of devices that somebody with a longer reach began with.
  const whole = { ...actor, reach: undefined }
  const stop = async (push_task_kid: string | null) => push_task_kid === null || cancelPhase(whole, push_task_kid)
  if (!change.is_staged || !(await stop(change.push_task_kid))) return refuse('config_not_in_steps')
  const changed = await takeBack(deps, change, user)
  announce(deps, change)
  // The push may have been made only now.
  const { push_task_kid } = await scope
    .selectFrom('configuration_change')
    .select('push_task_kid')
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  if (push_task_kid !== null)
    await cancelAll(whole, { push_task_kid }).catch((error: unknown) => {
      // None of its devices had a row yet, or none has anything left to do.
      if (!(error instanceof Refusal)) throw error
    })
  return { changed, version: change.version, place }
}
