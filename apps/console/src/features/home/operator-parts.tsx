import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { OpsOverview } from '@mdm/contract'
import { Expiry, Quota, SpaceUse } from '../../pickers/accounts/cells.tsx'
import { StateBadge } from '../../screen/StateBadge.tsx'
import { CopyId, Since } from '../../screen/values.tsx'
import { link } from '../../screens.ts'
import { useMay } from '../../session.tsx'

type Rows<K extends keyof OpsOverview> = { rows: OpsOverview[K] | undefined }

export function Expiring({ rows }: Rows<'expiring'>) {
  const { t } = useTranslation('home')
  return (
    <Part id="expiring" title={t('ops.expiring')} none={t('ops.expiring_none')} rows={rows}>
      {(row) => (
        <>
          <CustomerName row={row} />
          <Expiry at={row.expire_time} />
        </>
      )}
    </Part>
  )
}

export function NearlyFull({ rows }: Rows<'nearly_full'>) {
  const { t } = useTranslation('home')
  return (
    <Part id="full" title={t('ops.nearly_full')} none={t('ops.nearly_full_none')} rows={rows}>
      {(row) => (
        <>
          <CustomerName row={row} />
          <Quota label={t('ops.devices_of', { name: row.name })} used={row.terminal_count} max={row.terminal_max} />
        </>
      )}
    </Part>
  )
}

export function StorageUse({ rows }: Rows<'storage'>) {
  const { t } = useTranslation('home')
  const may_report = useMay('contentReportList')
  return (
    <Part
      id="storage"
      title={t('ops.storage')}
      none={t('ops.storage_none')}
      rows={rows}
      more={may_report && <Link to={link.contentReportList.to()}>{t('see_all')}</Link>}
    >
      {(row) => (
        <>
          <CustomerName row={row} />
          <SpaceUse label={t('ops.storage_of', { name: row.name })} used={row.used} space={row.space} />
        </>
      )}
    </Part>
  )
}

/** The servers that share the work, and when each was last heard of. */
export function Nodes({ rows }: Rows<'nodes'>) {
  const { t } = useTranslation('home')
  return (
    <Part id="nodes" title={t('ops.nodes')} none={t('ops.nodes_none')} rows={rows}>
      {(row) => (
        <>
          <span className="rows-main">
            <CopyId value={row.kid} short={8} />
            <span className="dim">
              {t('ops.started')} <Since at={row.started_at} />
            </span>
          </span>
          <StateBadge tone={row.is_alive ? 'good' : 'bad'} since={row.is_alive ? null : row.seen_at}>
            {t(row.is_alive ? 'ops.alive' : 'ops.silent')}
          </StateBadge>
        </>
      )}
    </Part>
  )
}

type PartProps<R> = {
  id: string
  title: string
  none: string
  rows: readonly R[] | undefined
  more?: ReactNode
  children: (row: R) => ReactNode
}
function Part<R extends { kid: string }>({ id, title, none, rows, more, children }: PartProps<R>) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {more}
      </h2>
      {rows?.length === 0 && <p className="dim">{none}</p>}
      <ul className="rows">
        {rows?.map((row) => (
          <li key={row.kid}>{children(row)}</li>
        ))}
      </ul>
    </section>
  )
}

function CustomerName({ row: { kid, name } }: { row: { kid: string; name: string } }) {
  const may_edit = useMay('mdmManageExternalUserManageEdit')
  return (
    <span className="rows-main">
      {may_edit ? (
        <Link to={link.externalUserManageEdit.to({ kid })} title={name}>
          {name}
        </Link>
      ) : (
        <span title={name}>{name}</span>
      )}
    </span>
  )
}
