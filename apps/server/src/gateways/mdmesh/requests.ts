import type { Down } from '@mdm/device-link'
import type { UpMessage } from '../../link/check-ins.ts'
import type { Boot, Command, Outcome } from './kept.ts'
import { textOf } from '../shared/values.ts'
import type { Said } from './said.ts'
import type { Turn } from './tasks.ts'
import { agent_package, packagesOf, uptimeOf } from './telemetry.ts'
import type { stateOf } from './telemetry.ts'

type Say = (name: UpMessage['name'], payload: object) => void
type Here = {
  said: Said
  state: ReturnType<typeof stateOf>
  boot: Boot | undefined
  device_time: string
  say: Say
}

/** Somebody waits for an answer: what this check-in has said is as new as any; the rest is asked of the agent. */
export function answerRequest(turn: Turn, { id, method, params }: Down['request'], here: Here): void {
  const { state, boot, device_time, say } = here
  const fails = (code: string, message: string) => say('reply', { id, ok: false, error: { code, message } })
  switch (method) {
    case 'hello':
      return say('reply', { id, ok: true, data: {} })
    case 'ping': {
      const uptime = uptimeOf(here.said.dynamic)
      const data = {
        device_time,
        boot_id: boot?.id ?? 'unknown',
        ...(uptime !== undefined && { uptime: uptime / 1000 }),
      }
      return say('reply', { id, ok: true, data })
    }
    case 'state_now':
      return say('reply', { id, ok: true, data: state })
    case 'location_now':
      // It looks for its place at the check-in after this.
      if (!turn.kept.is_location_on) {
        turn.kept.is_locating = true
        return turn.hand(`request.location_now.${id}`, locationMode('active'))
      }
      return answerLocation(id, state, say)
    case 'app_list':
      return turn.hand(`request.app_list.${id}`, { type: 'apps.scan' })
    case 'app_uninstall': {
      const packageName = textOf(params['package'], 200)
      if (!packageName || packageName === agent_package)
        return fails('not_supported', 'The agent does not remove itself')
      return turn.hand(`request.app_uninstall.${id}`, { type: 'app.uninstall', payload: { packageName } })
    }
    default:
      return fails('not_supported', 'The agent cannot do this')
  }
}

const locationMode = (mode: string): Command => ({ type: 'device.locationMode', payload: { mode } })

function answerLocation(id: string, { location }: Here['state'], say: Say): void {
  if (location) say('reply', { id, ok: true, data: location })
  else say('reply', { id, ok: false, error: { code: 'no_position', message: 'The agent has no position' } })
}

/** Ends the search for its place, until the agent says that it has. */
export function endLocating({ kept, hand, now }: Turn, results: Said['results']): void {
  if (results.some(({ id, status }) => id.startsWith('passive.') && status === 'done')) delete kept.is_locating
  if (kept.is_locating && !kept.is_location_on) hand(`passive.${now}`, locationMode('passive'))
}

/** Whether the result is of what somebody waits for. */
export function takeAnswer(of: string, { status, detail }: Outcome, state: Here['state'], say: Say): boolean {
  const [, method, id] = /^request\.(app_list|app_uninstall|location_now)\.([0-9a-f-]{36})$/.exec(of) ?? []
  if (!method || !id) return false
  if (method === 'location_now' && status === 'done') {
    answerLocation(id, state, say)
    return true
  }
  const data = method === 'app_list' ? appList(detail) : {}
  if (status === 'done' && data && detail !== 'duplicate ignored') say('reply', { id, ok: true, data })
  else say('reply', { id, ok: false, error: { code: 'command_failed', message: detail.slice(0, 1_000) || status } })
  return true
}

function appList(detail: string) {
  const packages = packagesOf(detail)
  return packages && { items: packages.map(({ name, ...app }) => ({ package: name, ...app })), next: null }
}
