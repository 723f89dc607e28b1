import { Alert } from 'antd'
import { Trans, useTranslation } from 'react-i18next'
import { errors } from '@mdm/contract'
import { CallFailed } from '../../../core/call-failed.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { Ago } from '../../../ui/value/values.tsx'

/** How old what is shown of an offline device is. */
export function LastReport({ at }: { at: string | null | undefined }) {
  const { t } = useTranslation('device-detail/files')
  if (!at) return null
  return (
    <Alert type="info" showIcon title={<Trans t={t} i18nKey="last_report" components={{ age: <Ago at={at} /> }} />} />
  )
}

/** A device that is offline and never said it has nothing to show, which is no failure. */
export function NotReported({ error, retry, is_line }: Parameters<typeof Failure>[0]) {
  const { t } = useTranslation('device-detail/files')
  if (error instanceof CallFailed && error.result === errors.device_not_online.result)
    return <Empty title={t('offline')} hint={t('offline_hint')} />
  return <Failure error={error} retry={retry} is_line={is_line} />
}
