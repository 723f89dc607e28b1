import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Mark } from '../../ui/PageError.tsx'

export default function NotFoundPage() {
  const { t } = useTranslation('shell')
  return (
    <section className="not-found">
      <Mark />
      <h1>{t('not_found')}</h1>
      <p className="dim">{t('not_found_hint')}</p>
      <Link className="button" to="/home">
        {t('home')}
      </Link>
    </section>
  )
}
