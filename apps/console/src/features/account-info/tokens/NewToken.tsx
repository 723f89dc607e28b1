import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { serverAddress } from '../../../core/base-url.ts'
import { api } from '../../../core/api.ts'
import { CopyId } from '../../../ui/value/values.tsx'

/** Shown this once: left by a button, not by a slip of the mouse. */
export function NewToken({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation('account-info')
  const example = `curl -H "Authorization: Bearer ${token}" ${serverAddress()}/api/${api.login.session.path}`
  return (
    <Modal
      open
      width={640}
      title={t('new_token.title')}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('new_token.kept')}
        </Button>
      }
    >
      <p>{t('new_token.text')}</p>
      <div className="own-secret">
        <CopyId value={token} />
      </div>
      <p>{t('new_token.try')}</p>
      <div className="own-secret">
        <CopyId value={example} />
      </div>
      <p className="dim">{t('new_token.account')}</p>
    </Modal>
  )
}
