import { useTranslation } from 'react-i18next'
import { PageHead } from '../../screen/PageHead.tsx'

export default function ClientCodeEditPage() {
  const { t } = useTranslation(['client-code', 'common'])
  return <PageHead title={t('title')} />
}
