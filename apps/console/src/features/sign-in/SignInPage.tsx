import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { languages } from '@mdm/contract'
import type { Language, TotpAsked } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { safePath } from '../../core/navigation.ts'
import { languageNames } from '../../i18n/language.ts'
import { signInWithExchange } from '../../core/session.tsx'
import { putLanguage, useSessionStore } from '../../core/session-store.ts'
import { Mark } from '../../ui/PageError.tsx'
import { CodeStep } from './CodeStep.tsx'
import { FleetField } from './FleetField.tsx'
import { PasswordStep } from './PasswordStep.tsx'
import { providerAddress, returnedIn } from './provider-return.ts'
import './sign-in.css'

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
        <Steps />
      </main>
    </div>
  )
}

type Step =
  | { at: 'password'; told: string | null }
  | { at: 'code'; asked: TotpAsked }
  | { at: 'exchange'; exchange_token: string }

/** The password, then perhaps a code; or the way back from the OpenID Connect provider. */
function Steps() {
  const { t } = useTranslation('sign-in')
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
  const title = t(step.at === 'code' ? 'code_title' : 'title')
  useEffect(() => {
    document.title = `${title} · MDM`
  }, [title])

  return (
    <div className="sign-in-step">
      <h1>{title}</h1>
      <p className="sign-in-lead">{t(step.at === 'code' ? 'code_lead' : 'lead')}</p>
      {step.at === 'exchange' ? (
        <p role="status">{t('busy')}</p>
      ) : step.at === 'code' ? (
        <CodeStep asked={step.asked} onDone={enter} onBack={(told) => setStep({ at: 'password', told })} />
      ) : (
        <>
          <PasswordStep
            username={username}
            onUsername={setUsername}
            told={step.told}
            onDone={(asked) => (asked ? setStep({ at: 'code', asked }) : enter())}
          />
          <Provider redirect={redirect} />
        </>
      )}
    </div>
  )
}

/** The organisation's own sign-in, where one is set up. Without an answer the password is still there. */
function Provider({ redirect }: { redirect: string | null }) {
  const { t } = useTranslation('sign-in')
  const oidc = useCall(api.login.options, {}).data?.oidc
  if (!oidc) return null
  return (
    <>
      <p className="sign-in-or">
        <span>{t('or')}</span>
      </p>
      <a className="sign-in-provider" href={providerAddress(oidc.url, redirect)}>
        {t('with_provider', { name: oidc.name })}
      </a>
    </>
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
