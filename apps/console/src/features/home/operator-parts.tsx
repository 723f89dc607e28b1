import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { OpsOverview } from '@mdm/contract'
import { Expiry, Quota, SpaceUse } from '../../shared/accounts/cells.tsx'
import { arriving } from '../../ui/Arriving.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { durationText } from '../../ui/value/format.ts'
import { CopyId, DateTime, Since } from '../../ui/value/values.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { useMay } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

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
          <Quota label={t('ops.devices_of', { name: row.name })} used={row.taken} max={row.terminal_max} />
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

/** A clock that is wrong is for whoever keeps the server to mend; until then nothing expires. */
export function ClockDoubts({ rows }: Rows<'nodes'>) {
  const { t } = useTranslation('home')
  const language = useSessionStore((s) => s.language)
  return rows?.map(({ kid, is_alive, clock_doubt }) => {
    if (!clock_doubt || !is_alive) return null
    const { jumped_ms, since, is_start } = clock_doubt
    const by = durationText(Math.abs(jumped_ms) / 1000, language)
    const what = is_start ? 'start' : 'jump'
    return (
      <div key={kid} className="failure is-line" role="status">
        <span className="failure-mark" aria-hidden>
          !
        </span>
        <p>
          {t(`ops.clock_${what}_${jumped_ms < 0 ? 'back' : 'on'}`, { by, node: kid.slice(0, 8) })}{' '}
          <DateTime at={since} />. {t('ops.clock_held')}
        </p>
      </div>
    )
  })
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
    <section className={arriving({ isPending: rows === undefined })} aria-labelledby={id}>
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
        <Link to={link.mdmManageExternalUserManageEdit.to({ kid })} title={name}>
          {name}
        </Link>
      ) : (
        <span title={name}>{name}</span>
      )}
    </span>
  )
}
