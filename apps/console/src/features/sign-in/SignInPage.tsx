import { useEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { languages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { CallFailed } from '../../call-failed.ts'
import { safePath } from '../../go.ts'
import { languageNames } from '../../i18n/language.ts'
import { signIn } from '../../session.tsx'
import { putLanguage, useSessionStore } from '../../session-store.ts'
import { Mark } from '../../shell/PageError.tsx'
import { FleetField } from './FleetField.tsx'
import { PuzzleCheck } from './PuzzleCheck.tsx'
import './sign-in.css'
import { TextField } from './TextField.tsx'

/** Without antd on purpose: this page is the first load of everyone (docs: 220 KB). */
export default function SignInPage() {
  return (
    <div className="sign-in">
      <FleetField />
      <main className="sign-in-panel">
        <header>
          <Mark />
          <span>MDM</span>
          <LanguageSelect />
        </header>
        <SignInForm />
      </main>
    </div>
  )
}

function SignInForm() {
  const { t } = useTranslation('sign-in')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [puzzle_token, setPuzzleToken] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const [is_tried, setTried] = useState(false)
  const [is_busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const nameField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = `${t('title')} · MDM`
  }, [t])

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
      await signIn({ username: username.trim(), password, puzzle_token })
      await navigate(safePath(search.get('redirect')), { replace: true })
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
      <h1>{t('title')}</h1>
      <p className="sign-in-lead">{t('lead')}</p>
      <TextField
        ref={nameField}
        label={t('username')}
        autoComplete="username"
        autoFocus
        value={username}
        onValue={setUsername}
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

function LanguageSelect() {
  const { t } = useTranslation('common')
  const language = useSessionStore((s) => s.language)
  return (
    <select
      aria-label={t('language')}
      value={language}
      onChange={(event) => putLanguage(event.target.value as Language)}
    >
      {languages.map((each) => (
        <option key={each} value={each} lang={each}>
          {languageNames[each]}
        </option>
      ))}
    </select>
  )
}
