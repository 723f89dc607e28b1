import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { languages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { putLanguage, useSessionStore } from '../../core/session-store.ts'
import { languageNames } from '../../i18n/language.ts'
import { Mark } from '../../ui/PageError.tsx'
import { FleetField } from './FleetField.tsx'
import './sign-in.css'

/** What stands around the pages of people who are not signed in. */
export function SignInFrame({ children }: { children: ReactNode }) {
  return (
    <div className="sign-in">
      <FleetField />
      <main className="sign-in-panel">
        <header>
          <Mark />
          <span>MDM</span>
          <LanguageSelect />
        </header>
        {children}
      </main>
    </div>
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
