import type { Down } from '@mdm/device-link'
import type { UpMessage } from '../../link/check-ins.ts'
import type { Boot, Outcome } from './kept.ts'
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
      return state.location
        ? say('reply', { id, ok: true, data: state.location })
        : fails('no_position', 'The agent has no position')
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

/** Whether the result is of what somebody waits for. */
export function takeAnswer(of: string, { status, detail }: Outcome, say: Say): boolean {
  const [, method, id] = /^request\.(app_list|app_uninstall)\.([0-9a-f-]{36})$/.exec(of) ?? []
  if (!method || !id) return false
  const data = method === 'app_list' ? appList(detail) : {}
  if (status === 'done' && data && detail !== 'duplicate ignored') say('reply', { id, ok: true, data })
  else say('reply', { id, ok: false, error: { code: 'command_failed', message: detail.slice(0, 1_000) || status } })
  return true
}

function appList(detail: string) {
  const packages = packagesOf(detail)
  return packages && { items: packages.map(({ name, ...app }) => ({ package: name, ...app })), next: null }
}
