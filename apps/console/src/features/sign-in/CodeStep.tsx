import { useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { errors } from '@mdm/contract'
import type { TotpAsked } from '@mdm/contract'
import { CallFailed } from '../../core/call-failed.ts'
import { signInWithCode } from '../../core/session.tsx'
import { TextField } from './TextField.tsx'

type Props = {
  asked: TotpAsked
  onDone: () => void
  /** Back to the password, with the reason when the server ended this step. */
  onBack: (told: string | null) => void
}

/** After these the same step takes another code. */
const takes_another = new Set<number>([errors.totp_wrong.result, errors.bad_input.result])
const isWhole = (code: string) => /^\d{6}$/.test(code)

/** The second step: the app's six digits, or a recovery code where the app is lost. */
export function CodeStep({ asked, onDone, onBack }: Props) {
  const { t } = useTranslation('sign-in')
  const [is_recovery, setRecovery] = useState(false)
  const [code, setCode] = useState('')
  const [is_tried, setTried] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [is_busy, setBusy] = useState(false)
  const busy = useRef(false)
  const field = useRef<HTMLInputElement>(null)

  const confirm = async (totp_code: string) => {
    // Typing and Enter may come within one moment; a code counts only once.
    if (busy.current) return
    busy.current = true
    setBusy(true)
    setFailure(null)
    try {
      await signInWithCode({ totp_token: asked.totp_token, totp_code })
      onDone()
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      if (error instanceof CallFailed && !error.is_offline && !takes_another.has(error.result)) return onBack(text)
      setFailure(text)
      field.current?.focus()
      field.current?.select()
    } finally {
      busy.current = false
      setBusy(false)
    }
  }
  const change = (typed: string) => {
    const next = is_recovery ? typed : typed.normalize('NFKC').replaceAll(/\s/g, '')
    setCode(next)
    setFailure(null)
    if (!is_recovery && isWhole(next) && next !== code) void confirm(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (is_missing) field.current?.focus()
    else void confirm(code.trim())
  }
  const turn = () => {
    setRecovery(!is_recovery)
    setCode('')
    setTried(false)
    setFailure(null)
    field.current?.focus()
  }
  const is_missing = is_recovery ? code.trim().length < 6 : !isWhole(code)
  const error = is_tried && is_missing ? t(is_recovery ? 'recovery_required' : 'code_required') : undefined
  return (
    <form onSubmit={submit} noValidate>
      <TextField
        // Another field, so that no code of one kind is offered for the other.
        key={String(is_recovery)}
        ref={field}
        autoFocus
        label={t(is_recovery ? 'recovery' : 'code')}
        hint={t(is_recovery ? 'recovery_hint' : 'code_hint')}
        autoComplete={is_recovery ? 'off' : 'one-time-code'}
        inputMode={is_recovery ? 'text' : 'numeric'}
        value={code}
        onValue={change}
        error={error}
      />
      {failure && (
        <p className="sign-in-failure" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" className="sign-in-submit" aria-disabled={is_busy}>
        {t(is_busy ? 'busy' : 'submit')}
      </button>
      <p className="sign-in-turns">
        <button type="button" className="link" onClick={turn}>
          {t(is_recovery ? 'use_app' : 'use_recovery')}
        </button>
        <button type="button" className="link" onClick={() => onBack(null)}>
          {t('back')}
        </button>
      </p>
    </form>
  )
}
