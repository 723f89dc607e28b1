import { Input, QRCode } from 'antd'
import type { InputRef } from 'antd'
import { useId, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { CopyId } from '../../../ui/value/values.tsx'

type Props = {
  begun: Out<typeof api.account.totp_begin>
  onCodes: (codes: readonly string[]) => void
  onClose: () => void
}

/** The secret goes into the app, a code of the app comes back. Until then nothing is switched on. */
export function TwoFactorSetUp({ begun, onCodes, onClose }: Props) {
  const { t } = useTranslation(['account-info', 'common'])
  const id = useId()
  const input = useRef<InputRef>(null)
  const [code, setCode] = useState('')
  const [is_tried, setTried] = useState(false)
  const enable = useWrite(api.account.totp_enable, { done: t('totp.enabled') })
  const is_whole = /^\d{6}$/.test(code)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (enable.isPending) return
    if (!is_whole) return input.current?.focus()
    try {
      const { recovery_tokens } = await enable.mutateAsync({ totp_code: code })
      onCodes(recovery_tokens)
    } catch {
      // Said by `enable.error`.
      input.current?.focus({ cursor: 'all' })
    }
  }
  const is_bad = is_tried && !is_whole
  return (
    <Dialog
      width={560}
      title={t('totp.set_up')}
      okText={t('totp.enable')}
      cancelText={t('common:cancel')}
      okButtonProps={{ htmlType: 'submit', loading: enable.isPending }}
      mask={{ closable: false }}
      focusable={{ focusTriggerAfterClose: true }}
      onCancel={onClose}
      modalRender={(dialog) => (
        <form noValidate onSubmit={(event) => void submit(event)}>
          {dialog}
        </form>
      )}
    >
      <ol className="totp-steps">
        <li>
          <p>{t('totp.scan')}</p>
          <div className="totp-secret">
            <div className="totp-qr">
              <QRCode
                aria-label={t('totp.qr')}
                value={begun.otpauth_url}
                type="svg"
                size={168}
                color="#000"
                bgColor="#fff"
                bordered={false}
              />
            </div>
            <div>
              <p className="dim">{t('totp.by_hand')}</p>
              <CopyId value={begun.secret} />
            </div>
          </div>
        </li>
        <li>
          <label htmlFor={id}>{t('totp.enter')}</label>
          <Input
            ref={input}
            id={id}
            autoFocus
            className="totp-code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            value={code}
            status={is_bad || enable.error ? 'error' : ''}
            aria-invalid={is_bad || enable.error !== null}
            aria-describedby={is_bad ? `${id}-note` : undefined}
            onChange={(event) => {
              setCode(event.target.value.normalize('NFKC').replaceAll(/\s/g, ''))
              enable.reset()
            }}
          />
          {is_bad && (
            <p id={`${id}-note`} className="totp-note" role="alert">
              {t('totp.six')}
            </p>
          )}
          {enable.error && <Failure error={enable.error} is_line />}
        </li>
      </ol>
    </Dialog>
  )
}
