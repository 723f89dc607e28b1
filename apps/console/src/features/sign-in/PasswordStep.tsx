import { useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { TotpAsked } from '@mdm/contract'
import { signIn } from '../../core/session.tsx'
import { PuzzleCheck } from './PuzzleCheck.tsx'
import { TextField } from './TextField.tsx'
import { usePuzzleAttempt } from './use-puzzle-attempt.ts'

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
  const { attempt, round, setPuzzleToken, has_puzzle, is_tried, is_busy, failure } = usePuzzleAttempt(told)
  const nameField = useRef<HTMLInputElement>(null)

  const missing = {
    username: username.trim() ? undefined : t('username_required'),
    password: password ? undefined : t('password_required'),
    puzzle: has_puzzle ? undefined : t('puzzle_required'),
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (missing.username) nameField.current?.focus()
    await attempt(!missing.username && !missing.password, async (puzzle_token) =>
      onDone(await signIn({ username: username.trim(), password, puzzle_token })),
    )
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
