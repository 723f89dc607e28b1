import { LoginOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomerRow } from '@mdm/contract'
import { CallFailed } from '../../../core/call-failed.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { enterCustomer } from '../../../core/session.tsx'

/** From here on everything is done in the customer's account, so it is asked once, in the tone of the top bar. */
export function EnterDialog({ customer, onClose }: { customer: CustomerRow; onClose: () => void }) {
  const { t } = useTranslation(['customer', 'common'])
  const [is_entering, setEntering] = useState(false)
  const [error, setError] = useState<CallFailed | null>(null)
  const enter = async () => {
    setEntering(true)
    setError(null)
    try {
      await enterCustomer(customer.kid)
    } catch (reason) {
      if (!(reason instanceof CallFailed)) throw reason
      setError(reason)
      setEntering(false)
    }
  }
  return (
    <Dialog
      title={t('enter.title', { name: customer.name })}
      okText={t('enter.submit', { name: customer.name })}
      okButtonProps={{ icon: <LoginOutlined aria-hidden />, autoFocus: true }}
      cancelText={t('common:cancel')}
      confirmLoading={is_entering}
      onOk={() => void enter()}
      onCancel={onClose}
    >
      <p className="acting-note">{t('enter.what', { name: customer.name })}</p>
      {error && <Failure error={error} is_line />}
    </Dialog>
  )
}
