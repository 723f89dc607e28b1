import { useId, useState } from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { useTranslation } from 'react-i18next'

type Props = {
  label: string
  value: string
  onValue: (value: string) => void
  error?: string | undefined
  hint?: string
  is_secret?: boolean
  autoComplete: string
  autoFocus?: boolean
  inputMode?: 'numeric' | 'text'
  maxLength?: number
  ref?: Ref<HTMLInputElement>
}

export function TextField({ label, value, onValue, error, hint, is_secret, maxLength = 64, ...rest }: Props) {
  const { t } = useTranslation('sign-in')
  const id = useId()
  const [is_shown, setShown] = useState(false)
  const [has_caps, setCaps] = useState(false)
  const look = (event: KeyboardEvent) => setCaps(event.getModifierState('CapsLock'))
  const is_caps = is_secret && has_caps
  const note = error ?? (is_caps ? t('caps') : hint)
  return (
    <div className="text-field" data-bad={error ? true : undefined}>
      <label htmlFor={id}>{label}</label>
      <div className="text-field-box">
        <input
          {...rest}
          id={id}
          type={is_secret && !is_shown ? 'password' : 'text'}
          value={value}
          maxLength={maxLength}
          spellCheck={false}
          autoCapitalize="none"
          aria-invalid={error !== undefined}
          aria-describedby={note ? `${id}-note` : undefined}
          onChange={(event) => onValue(event.target.value)}
          onKeyUp={is_secret ? look : undefined}
        />
        {is_secret && (
          <button
            type="button"
            className="icon-button"
            aria-pressed={is_shown}
            aria-label={t(is_shown ? 'hide' : 'show')}
            onClick={() => setShown(!is_shown)}
          >
            <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" aria-hidden>
              <path d="M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8Z" />
              <circle cx="8" cy="8" r="2" />
              {is_shown && <path d="M2.5 13.5l11-11" />}
            </svg>
          </button>
        )}
      </div>
      <p id={`${id}-note`} className="text-field-note" data-told={error !== undefined || is_caps || undefined}>
        {note}
      </p>
    </div>
  )
}
