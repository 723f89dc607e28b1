import { Button, Input } from 'antd'
import type { InputRef } from 'antd'
import { useId, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, send, useCall } from '../core/api.ts'
import type { CallFailed } from '../core/call-failed.ts'
import { sha1 } from '../lib/sha1.ts'
import { answerWithPasskey, canUsePasskeys } from '../core/passkey.ts'
import { usePasswordAgain } from '../core/password-again.ts'
import type { PasswordQuestion } from '../core/password-again.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { Failure } from '../ui/Failure.tsx'
import { useSession } from '../core/session.tsx'

/** The one place where the password is asked for again (`askPasswordAgain`). */
export function PasswordDialog() {
  const open = usePasswordAgain((s) => s.open)
  return open && <Question question={open} />
}

function Question({ question }: { question: PasswordQuestion }) {
  const { t } = useTranslation(['shell', 'common'])
  const { username } = useSession()
  const id = useId()
  const input = useRef<InputRef>(null)
  const [password, setPassword] = useState('')
  const [is_missing, setMissing] = useState(false)
  const [is_busy, setBusy] = useState(false)
  const [error, setError] = useState<CallFailed | null>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setMissing(!password)
    if (!password) input.current?.focus()
    if (!password || is_busy) return
    setBusy(true)
    try {
      await send(api.login.confirm_password, { password: sha1(password) })
      question.answer(true)
    } catch (failure) {
      setError(failure as CallFailed)
      setBusy(false)
      input.current?.focus({ cursor: 'all' })
    }
  }
  const host = useCall(api.login.options, {}).data?.passkeys
  const has_passkey = (useCall(api.account.list_passkey, {}).data ?? []).length > 0 && canUsePasskeys(host)
  const confirmByPasskey = async () => {
    setBusy(true)
    setMissing(false)
    setError(null)
    try {
      const { options } = await send(api.login.confirm_passkey_begin, {})
      await send(api.login.confirm_passkey, { answer: await answerWithPasskey(options) })
      question.answer(true)
    } catch (failure) {
      setError(failure as CallFailed)
      setBusy(false)
    }
  }
  return (
    <Dialog
      zIndex={1600}
      width={420}
      title={t('password_again.title')}
      okText={t('password_again.submit')}
      cancelText={t('common:cancel')}
      okButtonProps={{ htmlType: 'submit', loading: is_busy }}
      mask={{ closable: false }}
      onCancel={() => question.answer(false)}
      modalRender={(dialog) => (
        <form noValidate onSubmit={(event) => void submit(event)}>
          {dialog}
        </form>
      )}
    >
      <div className="password-again">
        <p>{t('password_again.text', { action: question.action, minutes: constants.password_confirmed_minutes })}</p>
        {/* Tells password managers whose password is meant. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <label htmlFor={`${id}-password`}>{t('password_again.password', { username })}</label>
        <Input.Password
          ref={input}
          id={`${id}-password`}
          autoFocus
          autoComplete="current-password"
          maxLength={64}
          value={password}
          status={is_missing || error ? 'error' : ''}
          aria-invalid={is_missing || error !== null}
          aria-describedby={is_missing ? `${id}-note` : undefined}
          onChange={(event) => {
            setPassword(event.target.value)
            setMissing(false)
            setError(null)
          }}
        />
        {is_missing && (
          <p id={`${id}-note`} className="password-again-note" role="alert">
            {t('password_again.required')}
          </p>
        )}
        {error && <Failure error={error} is_line />}
        {has_passkey && (
          <Button type="link" disabled={is_busy} onClick={() => void confirmByPasskey()}>
            {t('password_again.by_passkey')}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
