import { Button, Input, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PushableOs } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { Empty } from '../../../ui/Empty.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Field } from '../../../ui/form/form.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Bytes, Code, DateTime } from '../../../ui/value/values.tsx'

/** Which version. An account that has none is told why. */
export function OsFields() {
  const { t } = useTranslation('push-task/wizard')
  return (
    <Field name="os_version_kid" label={t('os.label')} rules={[{ required: true, message: t('os.choose') }]}>
      <OsChoice />
    </Field>
  )
}

/** A list that is longer than this is searched rather than read. */
const read_max = 8

type Props = { value?: string; onChange?: (kid: string) => void }
function OsChoice({ value, onChange }: Props) {
  const { t } = useTranslation('push-task/wizard')
  const [text, setText] = useState('')
  const [shows_all, setAll] = useState(false)
  const query = useCall(api.osVersion.list, {})
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const { items = [], why_none = null } = query.data ?? {}
  if (query.data && items.length === 0)
    return (
      <Empty title={t('os.none')} hint={t(why_none === 'none_associated' ? 'os.none_associated' : 'os.none_hint')} />
    )
  // The provider releases for hardware of all its customers: what no device here can take stands back.
  const fitting = items.filter((item) => item.devices > 0 || item.kid === value)
  const wanted = text.trim().toLowerCase()
  const found = items.filter(({ os_version, uid_code, uid_name }) =>
    `${os_version} ${uid_code} ${uid_name}`.toLowerCase().includes(wanted),
  )
  const shown = wanted === '' ? (fitting.length > 0 && !shows_all ? fitting : items) : found
  const rest = wanted === '' ? items.length - shown.length : 0
  return (
    <>
      {why_none === 'none_for_devices' && <p className="dim">{t('os.none_for_devices')}</p>}
      {items.length > read_max && (
        <Input.Search
          className="push-version-search"
          aria-label={t('os.search')}
          placeholder={t('os.search')}
          allowClear
          maxLength={100}
          value={text}
          onChange={(event) => setText(event.target.value)}
          // Enter is for the search, not for the wizard.
          onPressEnter={(event) => event.preventDefault()}
        />
      )}
      {query.data && shown.length === 0 && <p className="dim">{t('os.none_match')}</p>}
      <Radio.Group
        className="push-versions"
        aria-label={t('os.label')}
        {...(value !== undefined && { value })}
        onChange={(event) => onChange?.(event.target.value as string)}
      >
        {shown.map((item) => (
          <Radio key={item.kid} value={item.kid}>
            <OsLine of={item} />
          </Radio>
        ))}
      </Radio.Group>
      {rest > 0 && (
        <Button type="link" onClick={() => setAll(true)}>
          {t('os.more', { count: rest })}
        </Button>
      )}
    </>
  )
}

function OsLine({ of }: { of: PushableOs }) {
  const { t } = useTranslation('push-task/wizard')
  const count = useCount()
  return (
    <span className="push-version">
      <strong>
        {of.os_version} (VER {of.ver})
      </strong>{' '}
      <Code value={of.uid_code} /> <span className="dim">{of.uid_name}</span>{' '}
      {of.is_pre_released && <StateBadge tone="accent">{t('os.pre_released')}</StateBadge>}
      <span className="push-version-facts dim">
        {t('os.devices', { count: of.devices, shown: count(of.devices) })} · <Bytes value={of.size} /> ·{' '}
        <DateTime at={of.released_at} />
        {!of.has_full && <> · {t('os.only_differences')}</>}
      </span>
      {of.description && <span className="push-version-text">{of.description}</span>}
      {of.remaining_problems && (
        <span className="push-version-text dim">{t('os.problems', { text: of.remaining_problems })}</span>
      )}
    </span>
  )
}
