import type { ConfigOutcome } from '@mdm/contract'
import type { Tone } from '../../../ui/value/StateBadge.tsx'

export const outcomeTones: Record<ConfigOutcome, Tone> = {
  not_connected: 'quiet',
  waiting: 'waiting',
  applied: 'good',
  failed: 'bad',
  not_supported: 'warn',
  not_said: 'quiet',
}
