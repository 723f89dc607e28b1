import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { TotpAsked } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { safePath } from '../../core/navigation.ts'
import { canUsePasskeys } from '../../core/passkey.ts'
import { signInWithExchange, signInWithPasskey } from '../../core/session.tsx'
import { CodeStep } from './CodeStep.tsx'
import { PasswordStep } from './PasswordStep.tsx'
import { providerAddress, returnedIn } from './provider-return.ts'
import { SignInFrame } from './SignInFrame.tsx'

/** Few ever need it. */
const ForgotStep = lazy(() => import('./ForgotStep.tsx'))

/** Without antd on purpose: this page is the first load of everyone (docs: 220 KB). */
export default function SignInPage() {
  return (
    <SignInFrame>
      <Steps />
    </SignInFrame>
  )
}

type Step =
  | { at: 'password'; told: string | null }
  | { at: 'code'; asked: TotpAsked }
  | { at: 'forgot' }
  | { at: 'exchange'; exchange_token: string }

/** The password, then perhaps a code; or the way back from the OpenID Connect provider. */
function Steps() {
  const { t } = useTranslation(['sign-in', 'common'])
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [returned] = useState(() => returnedIn(location.hash))
  const [username, setUsername] = useState('')
  const [step, setStep] = useState<Step>(() =>
    returned?.exchange_token
      ? { at: 'exchange', exchange_token: returned.exchange_token }
      : { at: 'password', told: returned?.error ? t(returned.error) : null },
  )
  const redirect = search.get('redirect') ?? returned?.redirect ?? null
  const enter = () => void navigate(safePath(redirect), { replace: true })

  const exchanged = useRef(false)
  useEffect(() => {
    // Neither the history nor a copied address may hold what signs in.
    if (location.hash) history.replaceState(history.state, '', location.pathname + location.search)
    if (step.at !== 'exchange' || exchanged.current) return
    exchanged.current = true
    signInWithExchange(step.exchange_token).then(enter, (error: unknown) =>
      setStep({ at: 'password', told: error instanceof Error ? error.message : String(error) }),
    )
  })
  const title = t(step.at === 'code' ? 'code_title' : step.at === 'forgot' ? 'forgot_title' : 'title')
  const lead = t(step.at === 'code' ? 'code_lead' : step.at === 'forgot' ? 'forgot_lead' : 'lead')
  useEffect(() => {
    document.title = `${title} · MDM`
  }, [title])

  return (
    <div className="sign-in-step">
      <h1>{title}</h1>
      <p className="sign-in-lead">{lead}</p>
      {step.at === 'exchange' ? (
        <p role="status">{t('busy')}</p>
      ) : step.at === 'code' ? (
        <CodeStep asked={step.asked} onDone={enter} onBack={(told) => setStep({ at: 'password', told })} />
      ) : step.at === 'forgot' ? (
        <Suspense fallback={<p role="status">{t('common:loading')}</p>}>
          <ForgotStep
            username={username}
            onUsername={setUsername}
            onBack={() => setStep({ at: 'password', told: null })}
          />
        </Suspense>
      ) : (
        <>
          <PasswordStep
            username={username}
            onUsername={setUsername}
            told={step.told}
            onDone={(asked) => (asked ? setStep({ at: 'code', asked }) : enter())}
          />
          <OtherWays redirect={redirect} onForgot={() => setStep({ at: 'forgot' })} onDone={enter} />
        </>
      )}
    </div>
  )
}

/** A new password, a passkey, and the organisation's own sign-in, where they are set up. Without an answer the password is still there. */
type Ways = { redirect: string | null; onForgot: () => void; onDone: () => void }
function OtherWays({ redirect, onForgot, onDone }: Ways) {
  const { t } = useTranslation('sign-in')
  const options = useCall(api.login.options, {}).data
  const oidc = options?.oidc
  const forgot = options?.forgot_password && (
    <p className="sign-in-turns">
      <button type="button" className="link" onClick={onForgot}>
        {t('forgot')}
      </button>
    </p>
  )
  const has_passkeys = canUsePasskeys(options?.passkeys)
  return (
    <>
      {forgot}
      {(oidc || has_passkeys) && (
        <p className="sign-in-or">
          <span>{t('or')}</span>
        </p>
      )}
      {has_passkeys && <PasskeyWay onDone={onDone} />}
      {oidc && (
        <a className="sign-in-provider" href={providerAddress(oidc.url, redirect)}>
          {t('with_provider', { name: oidc.name })}
        </a>
      )}
    </>
  )
}

function PasskeyWay({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('sign-in')
  const [is_busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const use = () => {
    if (is_busy) return
    setBusy(true)
    setFailure(null)
    signInWithPasskey().then(onDone, (error: unknown) => {
      setFailure(error instanceof Error ? error.message : String(error))
      setBusy(false)
    })
  }
  return (
    <>
      {failure && (
        <p className="sign-in-failure" role="alert">
          {failure}
        </p>
      )}
      <button type="button" className="sign-in-provider" aria-disabled={is_busy} onClick={use}>
        {t('with_passkey')}
      </button>
    </>
  )
}
