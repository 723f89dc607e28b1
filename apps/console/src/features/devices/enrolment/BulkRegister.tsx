import { useTranslation } from 'react-i18next'
import { BulkDrawer } from '../../../shared/device-batch/BulkDrawer.tsx'
import { ownDevices } from '../../../shared/device-batch/sides.ts'

export function BulkRegister({ group, onClose }: { group: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('device-batch')
  return <BulkDrawer side={ownDevices} title={t('register.title')} group={group} onClose={onClose} />
}
