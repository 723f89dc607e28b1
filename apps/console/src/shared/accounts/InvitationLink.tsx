import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyId } from '../../ui/value/values.tsx'
import { useInvitationLink } from './invitation.ts'

/** Shown this once: left by a button, not by a slip of the mouse. */
export default function InvitationLink() {
  const { t } = useTranslation('accounts')
  const { link, show } = useInvitationLink()
  return (
    <Modal
      open
      width={640}
      title={t('invitation.link_title')}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={() => show(null)}>
          {t('invitation.link_kept')}
        </Button>
      }
    >
      <p>{t('invitation.link_text')}</p>
      <div className="invitation-link">
        <CopyId value={link} />
      </div>
    </Modal>
  )
}
