import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { AppDetails, Where } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May, useMay } from '../../core/session.tsx'
import { appPushAddress } from '../push-task/public.ts'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { appSides } from './sides.ts'
import type { AppSide } from './sides.ts'

type Version = { version: string; version_code?: number }
/** Devices that have an app, as a push or a list of devices finds them. */
export const installedMatch = (
  package_name: string,
  op: 'is_installed' | 'is_version' | 'is_below' | 'is_at_least' = 'is_installed',
  version?: Version,
): { where: Where } => ({ where: { all: [{ field: 'app', op, value: { package: package_name, ...version } }] } })

/** A version of the app center, as devices are asked for it. */
export const asked = ({ version_name, version_code }: { version_name: string; version_code: number }): Version => ({
  version: version_name,
  version_code,
})

/** How many devices run which version, as they last said; each number leads to the devices. */
export function Installed({ side, app }: { side: AppSide; app: AppDetails }) {
  const { t } = useTranslation('app-center')
  const count = useCount()
  const query = useCall(appSides[side].calls.installed, { kid: app.kid })
  // The provider's numbers are over all customers; its list of devices is another.
  const may_list = useMay('deviceList') && side === 'account'
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const { items = [], devices = 0, behind = 0 } = query.data ?? {}
  const most = Math.max(1, ...items.map((item) => item.devices))
  const linked = (op: 'is_version' | 'is_below', version: Version, text: string) => {
    const { where } = installedMatch(app.package, op, version)
    return may_list && version.version ? (
      <Link to={link.deviceList.to({ where: JSON.stringify(where) })}>{text}</Link>
    ) : (
      <span>{text}</span>
    )
  }
  return (
    <section className="app-part" aria-label={t('installed.title')}>
      <h2>{t('installed.title')}</h2>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 1 }} />}
      {query.isSuccess && devices === 0 && <p className="dim">{t('installed.none')}</p>}
      {devices > 0 && (
        <p>
          {t('installed.devices', { count: devices, shown: count(devices) })}
          {app.offered && behind > 0 && (
            <>
              {' · '}
              {linked(
                'is_below',
                asked(app.offered),
                t('installed.behind', { count: behind, shown: count(behind), version: app.offered.version_name }),
              )}
              {side === 'account' && app.state === 'listed' && (
                <May needs="appCenterPush:push">
                  <Link
                    className="app-push-behind"
                    to={appPushAddress({
                      apps: [{ app_kid: app.kid }],
                      match: installedMatch(app.package, 'is_below', asked(app.offered)),
                      said: t('push.said_below', { name: app.name, version: app.offered.version_name }),
                    })}
                  >
                    {t('push.behind')}
                  </Link>
                </May>
              )}
            </>
          )}
        </p>
      )}
      <ul className="app-installed">
        {items.map((item) => (
          <li key={`${item.version} ${item.version_code}`}>
            <span className="app-installed-version">
              {item.version || t('installed.unknown')}
              {item.version_code !== null && <span className="dim"> ({item.version_code})</span>}
              {item.version_kid !== null && item.version_kid === app.offered?.kid && (
                <span className="dim"> {t('version.offered')}</span>
              )}
            </span>
            <span className="app-installed-bar" aria-hidden>
              <i style={{ width: `${(item.devices / most) * 100}%` }} />
            </span>
            <span className="number">
              {linked(
                'is_version',
                { version: item.version, ...(item.version_code !== null && { version_code: item.version_code }) },
                t('installed.on', { count: item.devices, shown: count(item.devices) }),
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
