import type { AlertState, Severity } from '@mdm/contract'
import type { Tone } from '../../ui/value/StateBadge.tsx'

export const severityTones: Record<Severity, Tone> = { info: 'quiet', warning: 'warn', critical: 'bad' }
export const stateTones: Record<AlertState, Tone> = { open: 'bad', acknowledged: 'warn', resolved: 'good' }
