import { useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { TotpAsked } from '@mdm/contract'
import { CallFailed } from '../../core/call-failed.ts'
import { signIn } from '../../core/session.tsx'
import { PuzzleCheck } from './PuzzleCheck.tsx'
import { TextField } from './TextField.tsx'

type Props = {
  username: string
  onUsername: (username: string) => void
  /** Why the step before this one ended here. */
  told: string | null
  /** Signed in, or asked for the second step. */
  onDone: (asked: TotpAsked | undefined) => void
}

export function PasswordStep({ username, onUsername, told, onDone }: Props) {
  const { t } = useTranslation('sign-in')
  const [password, setPassword] = useState('')
  const [puzzle_token, setPuzzleToken] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const [is_tried, setTried] = useState(false)
  const [is_busy, setBusy] = useState(false)
  const [failure, setFailure] = useState(told)
  const nameField = useRef<HTMLInputElement>(null)

  const missing = {
    username: username.trim() ? undefined : t('username_required'),
    password: password ? undefined : t('password_required'),
    puzzle: puzzle_token ? undefined : t('puzzle_required'),
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    setFailure(null)
    if (missing.username || missing.password || !puzzle_token || is_busy) {
      if (missing.username) nameField.current?.focus()
      return
    }
    setBusy(true)
    try {
      onDone(await signIn({ username: username.trim(), password, puzzle_token }))
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      // A puzzle answers for one attempt. When the server was not reached it was not used up.
      if (!(error instanceof CallFailed && error.is_offline)) {
        setPuzzleToken(null)
        setRound((now) => now + 1)
        setTried(false)
      }
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        ref={nameField}
        label={t('username')}
        autoComplete="username"
        autoFocus
        value={username}
        onValue={onUsername}
        error={is_tried ? missing.username : undefined}
      />
      <TextField
        label={t('password')}
        autoComplete="current-password"
        is_secret
        value={password}
        onValue={setPassword}
        error={is_tried ? missing.password : undefined}
      />
      <PuzzleCheck key={round} onToken={setPuzzleToken} error={is_tried ? missing.puzzle : undefined} />
      {failure && (
        <p className="sign-in-failure" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" className="sign-in-submit" aria-disabled={is_busy}>
        {t(is_busy ? 'busy' : 'submit')}
      </button>
    </form>
  )
}
