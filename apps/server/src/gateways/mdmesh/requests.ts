import type { Down } from '@mdm/device-link'
import type { Answer } from '../shared/commands.ts'
import { textOf } from '../shared/values.ts'
import type { Turn } from './check-in.ts'
import { uninstall } from './commands.ts'
import { locate } from './config.ts'
import { agent_package, packagesOf } from './telemetry.ts'

const no_position = { code: 'no_position', message: 'The agent has no position' }
const placeOf = ({ state }: Turn): Answer => (state.location ? { data: state.location } : { fault: no_position })

export function answerRequest(turn: Turn, { method, params }: Down['request']): Answer | undefined {
  if (method === 'app_list') return { command: { type: 'apps.scan' } }
  if (method === 'app_uninstall') {
    const name = textOf(params['package'], 200)
    return name && name !== agent_package ? { command: uninstall(name) } : undefined
  }
  if (method !== 'location_now') return undefined
  if (turn.kept.is_location_on) return placeOf(turn)
  // It looks for its place at the check-in after this.
  turn.kept.is_locating = true
  return { command: locate(true) }
}

export function answerOf(turn: Turn, method: string, detail: string): Answer | undefined {
  if (method === 'location_now') return placeOf(turn)
  if (method !== 'app_list') return { data: {} }
  const items = packagesOf(detail)?.map(({ name, ...app }) => ({ package: name, ...app }))
  return items && { data: { items, next: null } }
}
