import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../ui/value/CodeBlock.tsx'
import { CopyId } from '../../ui/value/values.tsx'
import { sample } from './sample.ts'

/** Shown this once: left by a button, not by a slip of the mouse. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation('webhook')
  return (
    <Modal
      open
      rootClassName="webhook-secret-dialog"
      width={760}
      title={t('secret.title')}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('secret.kept')}
        </Button>
      }
    >
      <p>{t('secret.text')}</p>
      <div className="webhook-secret">
        <CopyId value={secret} />
      </div>
      <p>{t('secret.verify')}</p>
      <CodeBlock label={t('secret.sample')} text={sample} />
      <p className="dim">{t('secret.rules')}</p>
    </Modal>
  )
}
