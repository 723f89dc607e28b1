import { useTranslation } from 'react-i18next'
import { configTypes } from '@mdm/contract'
import { Link } from 'react-router'
import { useSearch, withParams } from '../../core/address.ts'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { useTypeName } from './edit/type-name.ts'
import { useCount } from '../../ui/value/format.ts'
import { ConfigStateBadge } from './state.tsx'

type Props = { terminal_group_kid?: string; profile_kid?: string }
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
  const [search] = useSearch()
  const { data } = useCall(api.terminalConfig.other_info, { type, ...place })
  const found = data?.configuration
  return (
    <p className="config-delivery">
      <span className="dim">{typeName(type)}</span>
      {found && (
        <>
          <ConfigStateBadge state={found.state} />
          <span>{t('version.name', { version: found.version })}</span>
          <Link to={{ search: withParams(search, { show: 'own', tab: null }).toString() }}>
            {t('sections_of', { set: found.sections_set, total: found.sections_total })}
          </Link>
        </>
      )}
      {data && !found && <ConfigStateBadge state={-1} />}
      {data && <Counted of={data.devices} {...place} />}
    </p>
  )
}

/** How many devices follow the level, and the way to them. */
function Counted({ of, terminal_group_kid, profile_kid }: Props & { of: number }) {
  const { t } = useTranslation('configure/edit')
  const count = useCount()
  const may_list = useMay('deviceList')
  const text = t('level_state.devices', { count: of, shown: count(of) })
  // The list of devices has no filter for those of a profile.
  if (!may_list || profile_kid) return <span className="dim">{text}</span>
  return <Link to={link.deviceList.to(terminal_group_kid ? { terminal_group_kid } : {})}>{text}</Link>
}
