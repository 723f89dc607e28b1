import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { link } from '../../core/links.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import type { Outcome } from './use-handling.ts'

/** Which of several alerts were left as they are, and why. */
export function Handled({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  const { t } = useTranslation(['alert', 'common'])
  const { text, skipped } = outcome
  return (
    <Dialog
      title={text}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('common:close')}
        </Button>
      }
    >
      <p>{t('handled.skipped', { count: skipped.length })}</p>
      <ul className="alert-skipped">
        {skipped.map(({ kid, name, reason }) => (
          <li key={kid}>
            <Link to={link.alertList.to({ alert: kid })} onClick={onClose}>
              {name}
            </Link>
            <span className="dim">{t(`handled.reason.${reason}`)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
