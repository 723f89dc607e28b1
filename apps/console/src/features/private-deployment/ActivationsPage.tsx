import { useTranslation } from 'react-i18next'
import { useView, ViewChoice } from '../../ui/list/ViewChoice.tsx'
import { Activations } from './Activations.tsx'
import { ThisServer } from './ThisServer.tsx'

const views = ['issued', 'server'] as const

/** The private servers that are activated from here, and how this server itself stands. */
export default function ActivationsPage() {
  const { t } = useTranslation('private-deployment')
  const choice = (
    <ViewChoice label={t('view.label')} views={views.map((value) => ({ value, label: t(`view.${value}`) }))} />
  )
  return useView(views) === 'issued' ? <Activations choice={choice} /> : <ThisServer choice={choice} />
}
