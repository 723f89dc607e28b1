import { useTranslation } from 'react-i18next'
import { configTypes } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useTypeName } from './edit/type-name.ts'
import { useCount } from '../../ui/value/format.ts'
import { ConfigStateBadge } from './state.tsx'

type Props = { terminal_group_kid?: string }
/** How a level stands: of each kind its version, how much of it is set here, and whether its devices have it. */
export function LevelState(place: Props) {
  return (
    <div className="config-level-state">
      <OneKind {...place} type={configTypes.os} />
      <OneKind {...place} type={configTypes.event} />
    </div>
  )
}

function OneKind({ type, ...place }: Props & { type: number }) {
  const { t } = useTranslation('configure/edit')
  const typeName = useTypeName()
  const count = useCount()
  const { data } = useCall(api.terminalConfig.other_info, { type, ...place })
  const found = data?.configuration
  return (
    <p className="config-delivery">
      <span className="dim">{typeName(type)}</span>
      {found && (
        <>
          <ConfigStateBadge state={found.state} />
          <span>{t('version.name', { version: found.version })}</span>
          <span>{t('level_state.complete', { percent: found.completeness })}</span>
        </>
      )}
      {data && !found && <ConfigStateBadge state={-1} />}
      {data && (
        <span className="dim">{t('level_state.devices', { count: data.devices, shown: count(data.devices) })}</span>
      )}
    </p>
  )
}
