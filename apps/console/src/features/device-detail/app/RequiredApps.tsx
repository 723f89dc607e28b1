import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { AppRequirement, DeviceApp, TerminalDetail } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { May, useMay } from '../../../core/session.tsx'
import { ownGroups, useGroups } from '../../../shared/groups/GroupPicker.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { appPushAddress } from '../../push-task/public.ts'
import { isForGroup, standingOf } from './required.ts'

const tones = { has_it: 'good', below: 'warn', missing: 'bad' } as const

/** Apps that the device has to have, how it stands to each, and the way to the push that brings what is missing. */
export function RequiredApps({ device, apps }: { device: TerminalDetail; apps: readonly DeviceApp[] }) {
  const { t } = useTranslation('device-detail/files')
  const may_read = useMay('appRequiredList')
  const may_list = useMay('deviceList')
  const { data: rules = [] } = useCall(api.appRequirement.list, {}, { enabled: may_read })
  const is_grouped = rules.some(({ terminal_group_kid }) => terminal_group_kid !== null)
  const { tree } = useGroups(ownGroups, may_list && is_grouped)
  const mine = rules.filter((rule) => isForGroup(rule, device.terminal_group_kid, tree))
  if (mine.length === 0) return null
  return (
    <section className="required-apps" aria-label={t('required.title')}>
      <h2>{t('required.title')}</h2>
      <ul>
        {mine.map((rule) => (
          <Required key={rule.kid} rule={rule} device={device} app={apps.find((app) => app.package === rule.package)} />
        ))}
      </ul>
    </section>
  )
}

type Props = { rule: AppRequirement; device: TerminalDetail; app: DeviceApp | undefined }
function Required({ rule, device, app }: Props) {
  const { t } = useTranslation('device-detail/files')
  const standing = standingOf(rule, app)
  return (
    <li>
      <strong>{rule.app_name}</strong>
      <StateBadge tone={tones[standing]}>
        {t(`required.${standing}`, { version: rule.version_name ?? '', installed: app?.version ?? '' })}
      </StateBadge>
      {standing !== 'has_it' && (
        <May needs="appCenterPush:push">
          <Link to={appPushAddress({ devices: [device], apps: [{ app_kid: rule.app_kid }] })}>
            {t(`required.push_${standing}`)}
          </Link>
        </May>
      )}
    </li>
  )
}
