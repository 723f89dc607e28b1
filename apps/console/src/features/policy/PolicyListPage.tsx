import { useTranslation } from 'react-i18next'
import { useView, ViewChoice } from '../../ui/list/ViewChoice.tsx'
import { Policies } from './Policies.tsx'
import { PolicyDevices } from './PolicyDevices.tsx'

/** What the provider grants, and which devices have it. */
export default function PolicyListPage() {
  const { t } = useTranslation('policy')
  const choice = (
    <ViewChoice
      label={t('view.label')}
      views={[
        { value: 'policies', label: t('view.policies') },
        { value: 'devices', label: t('view.devices') },
      ]}
    />
  )
  return useView(['policies', 'devices']) === 'policies' ? (
    <Policies choice={choice} />
  ) : (
    <PolicyDevices choice={choice} />
  )
}
