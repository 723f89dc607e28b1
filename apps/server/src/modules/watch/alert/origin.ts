import { alertKinds, alertLimits } from '@mdm/contract'
import type { ActorWith } from '../../../http/context.ts'
import { find } from './alerts.ts'

const most_fences = 20
const hour_ms = 3_600_000
const most_hours = 168

/** Where an alert comes from, as far as the caller may see that: the fences or pushes, and the place of its devices. */
export async function getOrigin(actor: ActorWith<'may'>, kid: string) {
  const { scope } = actor
  const { kind, rule_kid, state, opened_at, resolved_at } = await find(actor, kid)
  const nothing = { fences: [], pushes: [], places: [] }
  if (alertKinds[kind].subject === 'account') return nothing
  /** Those for which it fires; of one that is over, those for which it has fired. */
  const devices = scope
    .selectFrom('alert_device')
    .innerJoin('terminal', 'terminal.kid', 'alert_device.terminal_kid')
    .where('alert_device.alert_kid', '=', kid)
    .$if(state !== 'resolved', (q) => q.where('alert_device.cleared_at', 'is', null))
  const sees_places = actor.may('deviceDetailLocation')
  const sees_fences = kind === 'fence' && (sees_places || actor.may('electronicFenceList'))
  const sees_pushes = kind === 'failed_tasks' && (actor.may('pushTaskList') || actor.may('deviceDetailTask'))
  const readFences = () =>
    scope
      .selectFrom('electronic_fence')
      .select(['kid', 'name', 'longitude', 'latitude', 'radius', 'points'])
      .where(
        'kid',
        'in',
        devices
          .innerJoin('terminal_fence', 'terminal_fence.terminal_kid', 'terminal.kid')
          .select('terminal_fence.fence_kid'),
      )
      .orderBy('name')
      .limit(most_fences)
      .execute()
  const readPushes = async () => {
    const rule = await scope.selectFrom('alert_rule').select('params').where('kid', '=', rule_kid).executeTakeFirst()
    const hours = Number(rule?.params['hours'] ?? most_hours)
    return scope
      .selectFrom('push_task')
      .select(['kid', 'type', 'summary', 'created_at', 'created_by'])
      .where(
        'kid',
        'in',
        scope
          .selectFrom('push_task_terminal')
          .select('push_task_terminal.push_task_kid')
          .where('push_task_terminal.state', '=', 'failed')
          .where('push_task_terminal.state_at', '>', new Date(opened_at.getTime() - hours * hour_ms))
          .$if(resolved_at !== null, (q) => q.where('push_task_terminal.state_at', '<=', resolved_at!))
          .where('push_task_terminal.terminal_kid', 'in', devices.select('terminal.kid')),
      )
      .orderBy('created_at', 'desc')
      .orderBy('kid')
      .limit(alertLimits.pushes)
      .execute()
  }
  const readPlaces = () =>
    devices
      .innerJoin('terminal_position', 'terminal_position.terminal_kid', 'terminal.kid')
      .select([
        'terminal.kid',
        'terminal.sn',
        'terminal.name',
        'terminal_position.longitude',
        'terminal_position.latitude',
        'terminal_position.at',
      ])
      .orderBy('alert_device.fired_at', 'desc')
      .orderBy('terminal.kid')
      .limit(alertLimits.places)
      .execute()
  const [fences, pushes, places] = await Promise.all([
    sees_fences ? readFences() : [],
    sees_pushes ? readPushes() : [],
    sees_places ? readPlaces() : [],
  ])
  return { fences, pushes, places }
}
