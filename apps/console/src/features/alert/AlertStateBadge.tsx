import { EyeOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import type { AlertState } from '@mdm/contract'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { stateTones } from './tones.ts'

/** Open, in somebody's hands, or over. */
export function AlertStateBadge({ state }: { state: AlertState }) {
  const { t } = useTranslation('alert')
  const icon = state === 'acknowledged' ? <EyeOutlined aria-hidden /> : undefined
  return (
    <StateBadge tone={stateTones[state]} icon={icon}>
      {t(`state.${state}`)}
    </StateBadge>
  )
}
