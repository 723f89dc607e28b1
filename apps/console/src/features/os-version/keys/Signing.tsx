import { Button, Input } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { saveText } from '../../../lib/save-text.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { CopyId } from '../../../ui/value/values.tsx'

type Props = { kid: string; name: string; value: string; onChange: (signature: string) => void; enabled: boolean }

/** Where only the publisher holds the key: the text that is signed, and its signature. Nothing where the server signs. */
export function Signing({ kid, name, value, onChange, enabled }: Props) {
  const { t } = useTranslation('os-version')
  const id = useId()
  const { data, error, refetch } = useCall(api.opsOsVersion.to_sign, { kid }, { enabled, fresh: true })
  if (error) return <Failure error={error} retry={refetch} is_line />
  if (!data?.is_offline) return null
  return (
    <section className="os-package-form" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t('signing.title')}</h2>
      <p className="dim">{t('signing.hint')}</p>
      <p>
        {t('keys.signed_by')} <CopyId value={data.public_key} short={16} />
      </p>
      <Button onClick={() => saveText(`${name}.manifest.json`, data.manifest)}>{t('signing.download')}</Button>
      <label htmlFor={`${id}-signature`}>{t('signing.signature')}</label>
      <Input.TextArea
        id={`${id}-signature`}
        value={value}
        autoSize={{ minRows: 2 }}
        maxLength={100}
        onChange={(event) => onChange(event.target.value)}
      />
    </section>
  )
}
