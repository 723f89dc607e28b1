import { Button, Input } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { saveText } from '../../../lib/save-text.ts'
import { Failure } from '../../../ui/Failure.tsx'

/** A key of which the server knows the public half only. Where it does not hold the active one either, that one signs for it. */
export function RegisterKey() {
  const { t } = useTranslation('os-version')
  const id = useId()
  const [public_key, setKey] = useState('')
  const [signature, setSignature] = useState('')
  const text = public_key.trim()
  const is_key = text.length >= 40
  const { data, error } = useCall(
    api.opsOsVersion.key_statement,
    { public_key: text },
    { enabled: is_key, fresh: true },
  )
  const register = useWrite(api.opsOsVersion.register_key, { done: t('keys.registered') })
  const needs_signature = data?.is_offline ?? false
  return (
    <section className="os-package-form" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t('keys.register_title')}</h2>
      <p className="dim">{t('keys.register_hint')}</p>
      <label htmlFor={`${id}-key`}>{t('keys.public_key')}</label>
      <Input.TextArea
        id={`${id}-key`}
        value={public_key}
        autoSize={{ minRows: 3 }}
        maxLength={400}
        placeholder="-----BEGIN PUBLIC KEY-----"
        onChange={(event) => setKey(event.target.value)}
      />
      {needs_signature && data && (
        <>
          <p className="dim">{t('keys.statement_hint')}</p>
          <Button onClick={() => saveText('key-statement.json', data.statement)}>{t('keys.statement')}</Button>
          <label htmlFor={`${id}-signature`}>{t('signing.signature')}</label>
          <Input.TextArea
            id={`${id}-signature`}
            value={signature}
            autoSize={{ minRows: 2 }}
            maxLength={100}
            onChange={(event) => setSignature(event.target.value)}
          />
        </>
      )}
      <Button
        loading={register.isPending}
        disabled={!data || (needs_signature && signature.trim() === '')}
        onClick={() =>
          void register.mutateAsync({ public_key: text, ...(needs_signature && { signature: signature.trim() }) }).then(
            () => {
              setKey('')
              setSignature('')
            },
            () => undefined,
          )
        }
      >
        {t('keys.register')}
      </Button>
      {is_key && (error ?? register.error) && <Failure error={(error ?? register.error)!} is_line />}
    </section>
  )
}
