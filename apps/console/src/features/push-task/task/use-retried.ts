import { useTranslation } from 'react-i18next'
import type { Contract, Out } from '@mdm/contract'
import { notify } from '../../../core/notices.ts'
import { useCount } from '../../../ui/value/format.ts'
import { useMoment } from './moment.ts'

/** Says what became of a retry: begun, in the background where it is of very many, or waiting while it can be stopped. */
export function useRetried(): (done: Out<Contract['pushTask']['calls']['retry']>) => void {
  const { t } = useTranslation('push-task/task')
  const count = useCount()
  const moment = useMoment()
  return ({ retried, rest, begins_at }) => {
    const of = { count: retried + rest, shown: count(retried + rest) }
    notify.ok(
      begins_at ? t('retried_later', { ...of, at: moment(begins_at) }) : t(rest > 0 ? 'retrying' : 'retried', of),
    )
  }
}
