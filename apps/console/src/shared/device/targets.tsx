import { Code } from '../../ui/value/values.tsx'
import { useTranslation } from 'react-i18next'
import { deadlineSeconds } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { InfoCircleOutlined } from '@ant-design/icons'
import { unableCount } from './inability.ts'
import type { Able } from './inability.ts'
import './device.css'

/** What a command needs to know of a device. */
export type Target = { kid: string; sn: string; name: string; is_online: boolean } & Able
export const kidsOf = (targets: readonly Target[]): string[] => targets.map(({ kid }) => kid)

const shown = 6

/** Which devices are hit; of a push also what becomes of those that are offline, or whose agent does not do it. */
export function Targets({ of, push }: { of: readonly Target[]; push?: PushTaskType }) {
  const { t } = useTranslation('device')
  const rest = of.length - shown
  const offline = of.filter(({ is_online }) => !is_online).length
  const unable = push ? unableCount(of, push) : 0
  const days = deadlineSeconds.wait_receipt / 86_400
  return (
    <div className="targets">
      <ul aria-label={t('targets', { count: of.length })}>
        {of.slice(0, shown).map(({ kid, sn, name }) => (
          <li key={kid}>
            <Code value={sn} />
            {name && <span className="dim"> {name}</span>}
          </li>
        ))}
        {rest > 0 && <li className="dim">{t('and_more', { count: rest })}</li>}
      </ul>
      {unable > 0 && (
        <p className="targets-offline">
          <InfoCircleOutlined aria-hidden />
          {t('unable', { count: unable })}
        </p>
      )}
      {push && offline > 0 && (
        <p className="targets-offline">
          <InfoCircleOutlined aria-hidden />
          {offline === of.length
            ? t('offline_all', { count: offline, days })
            : t('offline_some', { count: offline, days })}
        </p>
      )}
    </div>
  )
}
