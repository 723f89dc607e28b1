import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { stepsTo, visibleName } from './device-names.ts'
import { link } from '../../../core/links.ts'

/** Where in the device's folders one is; every folder above is a link. */
export function FilePath({ kid, path }: { kid: string; path: string }) {
  const { t } = useTranslation('device-detail/files')
  const steps = [{ name: t('root'), path: '/' }, ...stepsTo(path)]
  return (
    <nav aria-label={t('path')}>
      <ol className="device-path">
        {steps.map((step, at) => (
          <li key={step.path}>
            {at === steps.length - 1 ? (
              <span aria-current="page">
                <bdi>{visibleName(step.name)}</bdi>
              </span>
            ) : (
              <Link to={link.deviceDetailFileManager.to({ kid, path: step.path })}>
                <bdi>{visibleName(step.name)}</bdi>
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
