import { useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, send } from '../../core/api.ts'
import { CallFailed } from '../../core/call-failed.ts'
import { PuzzleCheck } from './PuzzleCheck.tsx'
import { TextField } from './TextField.tsx'

type Props = { username: string; onUsername: (username: string) => void; onBack: () => void }

/** Asks for a link to set a new password. The answer is the same for every name. */
export default function ForgotStep({ username, onUsername, onBack }: Props) {
  const { t } = useTranslation('sign-in')
  const [puzzle_token, setPuzzleToken] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const [is_tried, setTried] = useState(false)
  const [is_busy, setBusy] = useState(false)
  const [is_sent, setSent] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    setFailure(null)
    if (!username.trim() || !puzzle_token || is_busy) return
    setBusy(true)
    try {
      await send(api.login.forgot_password, { username: username.trim(), puzzle_token })
      setSent(true)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      if (!(error instanceof CallFailed && error.is_offline)) {
        setPuzzleToken(null)
        setRound((now) => now + 1)
        setTried(false)
      }
    } finally {
      setBusy(false)
    }
  }
  const back = (
    <p className="sign-in-turns">
      <button type="button" className="link" onClick={onBack}>
        {t('back')}
      </button>
    </p>
  )
  if (is_sent)
    return (
      <>
        <p role="status" className="sign-in-done">
          {t('forgot_sent')}
        </p>
        {back}
      </>
    )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={t('forgot_username')}
        autoComplete="username"
        autoFocus
        maxLength={254}
        value={username}
        onValue={onUsername}
        error={is_tried && !username.trim() ? t('username_required') : undefined}
      />
      <PuzzleCheck
        key={round}
        onToken={setPuzzleToken}
        error={is_tried && !puzzle_token ? t('puzzle_required') : undefined}
      />
      {failure && (
        <p className="sign-in-failure" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" className="sign-in-submit" aria-disabled={is_busy}>
        {t('forgot_submit')}
      </button>
      {back}
    </form>
  )
}
