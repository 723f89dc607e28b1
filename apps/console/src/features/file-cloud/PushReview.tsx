import { InfoCircleOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { deadlineSeconds } from '@mdm/contract'
import type { CloudFile } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { countOf } from '../../shared/devices-picker/DevicesPicker.tsx'
import type { ChosenDevices } from '../../shared/devices-picker/DevicesPicker.tsx'
import { Properties } from '../../ui/DetailPage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Bytes } from '../../ui/value/values.tsx'

export type Where = { path: string; description?: string }
type ReviewProps = { files: readonly CloudFile[]; devices: ChosenDevices; where: Where; account_name: string }
/** What will happen, to which devices and in which account, before it does. */
export function PushReview({ files, devices, where, account_name }: ReviewProps) {
  const { t } = useTranslation(['file-cloud', 'devices-picker', 'common'])
  const count = useCount()
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const number = countOf(devices)
  const offline = useOffline(devices)
  const days = deadlineSeconds.wait_receipt / 86_400
  const shown = devices.kind === 'devices' ? devices.rows.slice(0, 12) : []
  return (
    <div className="push-review">
      <Properties
        of={[
          { label: t('push.account'), value: <strong>{account_name}</strong> },
          {
            label: t('step.devices'),
            value: (
              <>
                <strong>{t('devices-picker:devices', { count: number, shown: count(number) })}</strong>
                {devices.kind === 'group' && <span className="dim"> {devices.name}</span>}
              </>
            ),
          },
          { label: t('push.path'), value: <code>{where.path}</code> },
          { label: t('push.description'), value: where.description },
          {
            label: t('step.files'),
            is_wide: true,
            value: (
              <ul>
                {files.map((file) => (
                  <li key={file.kid}>
                    {file.name} <Bytes value={file.size} />
                  </li>
                ))}
                {files.length > 1 && (
                  <li className="dim">
                    {t('push.total')} <Bytes value={total} />
                  </li>
                )}
              </ul>
            ),
          },
          ...(shown.length > 0
            ? [
                {
                  label: t('push.which'),
                  is_wide: true,
                  value: (
                    <>
                      {shown.map(({ sn, name }) => (name ? `${sn} (${name})` : sn)).join(', ')}
                      {number > shown.length && (
                        <span className="dim"> {t('push.and_more', { count: number - shown.length })}</span>
                      )}
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      {offline !== undefined && offline > 0 && (
        <p className="push-offline">
          <InfoCircleOutlined aria-hidden />
          {t('push.offline', { count: offline, shown: count(offline), days })}
        </p>
      )}
    </div>
  )
}

/** How many of the chosen devices are offline now; undefined where that is not known. */
function useOffline(devices: ChosenDevices): number | undefined {
  const is_group = devices.kind === 'group'
  const query = useCall(
    api.terminal.paging,
    { is_online: false, page_size: 1, terminal_group_kid: is_group ? (devices.terminal_group_kid ?? 'ALL') : 'ALL' },
    { enabled: is_group },
  )
  if (!is_group) return devices.rows.filter(({ is_online }) => !is_online).length
  return query.data?.total_is_exact ? Math.min(query.data.total, devices.count) : undefined
}
