import { useEffect, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import type { Out, TotpAsked } from '@mdm/contract'
import { api, send } from '../../core/api.ts'
import { CallFailed } from '../../core/call-failed.ts'
import { safePath } from '../../core/navigation.ts'
import { signInWithLink } from '../../core/session.tsx'
import { isPassword } from '../../lib/password.ts'
import { CodeStep } from './CodeStep.tsx'
import { SignInFrame } from './SignInFrame.tsx'
import { TextField } from './TextField.tsx'

/** Where the link of an invitation, or of a forgotten password, leads. */
export default function SetPasswordPage() {
  const { t } = useTranslation(['sign-in', 'common'])
  const navigate = useNavigate()
  const [link_token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '')
  const [asked, setAsked] = useState<TotpAsked | null>(null)
  const { link, failure } = useLink(link_token)
  useEffect(() => {
    // Neither the history nor a copied address may hold what sets a password.
    if (location.hash) history.replaceState(history.state, '', location.pathname + location.search)
  })
  const title = t(asked ? 'code_title' : link?.kind === 'password_reset' ? 'reset_title' : 'welcome_title')
  useEffect(() => {
    document.title = `${title} · MDM`
  }, [title])
  const enter = () => void navigate(safePath(null), { replace: true })
  const toSignIn = () => void navigate(pages.login.path, { replace: true })
  return (
    <SignInFrame>
      <div className="sign-in-step">
        <h1>{title}</h1>
        {asked ? (
          <>
            <p className="sign-in-lead">{t('code_lead')}</p>
            <CodeStep asked={asked} onDone={enter} onBack={toSignIn} />
          </>
        ) : failure || !link_token ? (
          <>
            {failure ? (
              <p className="sign-in-failure" role="alert">
                {failure}
              </p>
            ) : (
              <p className="sign-in-lead">{t('link_incomplete')}</p>
            )}
            <p className="sign-in-turns">
              <Link to={pages.login.path}>{t('to_sign_in')}</Link>
            </p>
          </>
        ) : link ? (
          <Password
            username={link.username}
            lead={t('set_lead', { name: link.name || link.username, username: link.username })}
            link_token={link_token}
            onDone={(more) => (more ? setAsked(more) : enter())}
          />
        ) : (
          <p role="status">{t('common:loading')}</p>
        )}
      </div>
    </SignInFrame>
  )
}

/** Read once: when the password is set the link is over, and everything that was asked is asked anew. */
function useLink(link_token: string) {
  const [link, setLink] = useState<Out<typeof api.login.read_link> | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    if (link_token === '') return
    send(api.login.read_link, { link_token }).then(setLink, (error: unknown) =>
      setFailure(error instanceof Error ? error.message : String(error)),
    )
  }, [link_token])
  return { link, failure }
}

type Props = { username: string; lead: string; link_token: string; onDone: (asked: TotpAsked | undefined) => void }
function Password({ username, lead, link_token, onDone }: Props) {
  const { t } = useTranslation('sign-in')
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [is_tried, setTried] = useState(false)
  const [is_busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const fault = {
    password: isPassword(password) ? (password === username ? t('is_name') : undefined) : t('password_rule'),
    again: again === password ? undefined : t('password_differs'),
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    setFailure(null)
    if (fault.password || fault.again || is_busy) return
    setBusy(true)
    try {
      onDone(await signInWithLink({ link_token, password }))
    } catch (error) {
      const fields = error instanceof CallFailed ? Object.values(error.fields ?? {}) : []
      setFailure([error instanceof Error ? error.message : String(error), ...fields].join(' '))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <p className="sign-in-lead">{lead}</p>
      {/* Tells password managers whose password is set. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <TextField
        label={t('new_password')}
        hint={t('password_rule')}
        autoComplete="new-password"
        autoFocus
        is_secret
        maxLength={18}
        value={password}
        onValue={setPassword}
        error={is_tried ? fault.password : undefined}
      />
      <TextField
        label={t('new_password_again')}
        autoComplete="new-password"
        is_secret
        maxLength={18}
        value={again}
        onValue={setAgain}
        error={is_tried ? fault.again : undefined}
      />
      {failure && (
        <p className="sign-in-failure" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" className="sign-in-submit" aria-disabled={is_busy}>
        {t(is_busy ? 'busy' : 'set_submit')}
      </button>
    </form>
  )
}
