import { AutoComplete } from 'antd'
import { useMemo } from 'react'
import { useSessionStore } from '../../../core/session-store.ts'

/** Languages with a region that devices are set to; any other is typed. */
const locales = [
  ...[
    'en_US',
    'en_GB',
    'en_AU',
    'en_IN',
    'en_SG',
    'vi_VN',
    'zh_CN',
    'zh_TW',
    'zh_HK',
    'ja_JP',
    'ko_KR',
    'th_TH',
    'id_ID',
  ],
  ...[
    'ms_MY',
    'fil_PH',
    'hi_IN',
    'km_KH',
    'lo_LA',
    'my_MM',
    'de_DE',
    'fr_FR',
    'es_ES',
    'es_MX',
    'pt_BR',
    'pt_PT',
    'it_IT',
  ],
  ...[
    'nl_NL',
    'pl_PL',
    'cs_CZ',
    'ru_RU',
    'uk_UA',
    'tr_TR',
    'ar_AE',
    'ar_SA',
    'he_IL',
    'sv_SE',
    'da_DK',
    'nb_NO',
    'fi_FI',
  ],
]

type Props = { id?: string | undefined; label: string; value: string; onChange?: ((value: string) => void) | undefined }
/** The language of a device, found by its name. */
export function LocaleSelect({ id, label, value, onChange }: Props) {
  const language = useSessionStore((s) => s.language)
  const options = useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'language', languageDisplay: 'standard' })
    return locales
      .map((locale) => ({ value: locale, label: `${names.of(locale.replace('_', '-'))} · ${locale}` }))
      .toSorted((a, b) => a.label.localeCompare(b.label, language))
  }, [language])
  return (
    <AutoComplete
      {...(id !== undefined && { id })}
      {...(onChange && { onChange })}
      aria-label={label}
      value={value}
      options={options}
      showSearch={{ filterOption: (sought, option) => isSought(sought, option?.label ?? '') }}
    />
  )
}
const isSought = (sought: string, label: string): boolean => label.toLowerCase().includes(sought.trim().toLowerCase())
