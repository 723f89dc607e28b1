import { useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, send } from '../../core/api.ts'
import { PuzzleCheck } from './PuzzleCheck.tsx'
import { TextField } from './TextField.tsx'
import { usePuzzleAttempt } from './use-puzzle-attempt.ts'

type Props = { username: string; onUsername: (username: string) => void; onBack: () => void }

/** Asks for a link to set a new password. The answer is the same for every name. */
export default function ForgotStep({ username, onUsername, onBack }: Props) {
  const { t } = useTranslation('sign-in')
  const { attempt, round, setPuzzleToken, has_puzzle, is_tried, is_busy, failure } = usePuzzleAttempt()
  const [is_sent, setSent] = useState(false)
  const name = username.trim()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await attempt(name !== '', async (puzzle_token) => {
      await send(api.login.forgot_password, { username: name, puzzle_token })
      setSent(true)
    })
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
        error={is_tried && !name ? t('username_required') : undefined}
      />
      <PuzzleCheck
        key={round}
        onToken={setPuzzleToken}
        error={is_tried && !has_puzzle ? t('puzzle_required') : undefined}
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
