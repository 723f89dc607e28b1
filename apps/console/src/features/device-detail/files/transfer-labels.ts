import { useTranslation } from 'react-i18next'
import type { DeviceTransfer } from '@mdm/contract'
import { texts as english } from './texts/en.ts'
import type { Tone } from '../../../ui/value/StateBadge.tsx'
import { visibleName } from './device-names.ts'

export const transferTone: Record<DeviceTransfer['state'], Tone> = {
  running: 'moving',
  completed: 'good',
  failed: 'bad',
  canceled: 'quiet',
}
type Code = keyof (typeof english)['code']
const isCode = (code: string): code is Code => Object.hasOwn(english.code, code)

/** Why a transfer failed: in words of ours, and where there are none, in the device's. */
export function useTransferReason(): (row: DeviceTransfer) => string | undefined {
  const { t } = useTranslation('device-detail/files')
  return ({ state, code, message }) => {
    if (state !== 'failed') return undefined
    if (code !== null && isCode(code)) return t(`code.${code}`)
    return message ? visibleName(message) : t('code.unknown')
  }
}
