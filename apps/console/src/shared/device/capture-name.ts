import type { PushTaskTerminal } from '@mdm/contract'
import { dateParts } from '../../ui/value/format.ts'

const most_sn = 60

/**
 * 'A-01-2026-11-21-081503.png': screenshots sort by device and time. A device says itself what its SN is, so whatever a
 * file system, a shell or a reading direction could take for more than a letter becomes a dash.
 */
export function captureName(
  { sn, state_at }: Pick<PushTaskTerminal, 'sn' | 'state_at'>,
  zone: string,
  end = 'png',
): string {
  const [date, time] = dateParts(state_at, zone)
  const name = [...sn.normalize('NFC')].slice(0, most_sn).join('')
  const safe = name.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-').replace(/^[.-]+|[.-]+$/g, '')
  return [...(safe ? [safe] : []), date.replaceAll('/', '-'), `${time.replaceAll(':', '')}.${end}`].join('-')
}
