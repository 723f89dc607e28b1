import { Input, InputNumber, Select, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OsVersionDetail, Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { searchSelect, useTyped } from '../../../ui/form/search-select.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { pageIcon } from '../../../ui/icons.tsx'
import { StepsLine, useStep } from './steps.tsx'

type Draft = Sent<typeof api.opsOsVersion.insert>
const schema = api.opsOsVersion.insert.input

/** The first step, and its edit page: what a version is. */
export default function CreateStep() {
  const { t } = useTranslation('os-version')
  const { kid, version, query, in_wizard, title, nextOf, leave } = useStep('create')
  const [saved, setSaved] = useState('')
  const insert = useWrite(api.opsOsVersion.insert)
  const update = useWrite(api.opsOsVersion.update, { done: t('saved') })
  if (kid && query.error) return <Failure error={query.error} retry={query.refetch} />
  if (kid && !version) return <Skeleton active />
  const is_fixed = version !== undefined && (version.package_count > 0 || version.released_at !== null)
  return (
    <FormPage<Draft>
      key={kid}
      title={title}
      icon={pageIcon('osIssue')}
      aside={version && <code>{version.os_version}</code>}
      above={<StepsLine step="create" />}
      submit={t(in_wizard ? 'save_next' : 'save')}
      cancel={in_wizard ? t('skip') : undefined}
      initial={version ? draftOf(version) : { description: '', remaining_problems: '' }}
      loading={insert.isPending || update.isPending}
      submitError={insert.error ?? update.error}
      onSubmit={async (draft) => {
        if (kid) await update.mutateAsync({ kid, ...draft })
        setSaved(kid || (await insert.mutateAsync(draft)).kid)
      }}
      onDone={() => nextOf(saved)}
      onCancel={leave}
    >
      {is_fixed && <p className="form-note">{t('fixed')}</p>}
      <Field name="uid_kid" label={t('field.uid')} extra={t('field.uid_hint')} schema={schema}>
        <UidSelect disabled={is_fixed} {...(version && { known: version })} />
      </Field>
      <Field name="os_version" label={t('field.os_version')} extra={t('field.os_version_hint')} schema={schema}>
        <Input className="code" autoComplete="off" spellCheck={false} disabled={is_fixed} />
      </Field>
      <Field name="version_code" label={t('field.version_code')} extra={t('field.version_code_hint')} schema={schema}>
        <InputNumber<number> style={{ width: '100%' }} min={0} precision={0} disabled={is_fixed} />
      </Field>
      <Field name="ver" label={t('field.ver')} extra={t('field.ver_hint')} schema={schema}>
        <InputNumber<number> style={{ width: '100%' }} precision={0} disabled={is_fixed} />
      </Field>
      <Field name="description" label={t('field.description')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 3, maxRows: 10 }} />
      </Field>
      <Field name="remaining_problems" label={t('field.remaining_problems')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 10 }} />
      </Field>
    </FormPage>
  )
}

const draftOf = ({
  uid_kid,
  os_version,
  version_code,
  ver,
  description,
  remaining_problems,
}: OsVersionDetail): Draft => ({
  uid_kid,
  os_version,
  version_code,
  ver,
  description,
  remaining_problems,
})

type UidProps = {
  disabled: boolean
  known?: Pick<OsVersionDetail, 'uid_kid' | 'uid_code' | 'uid_name'>
  /** `Field` gives these three. */
  id?: string
  value?: string
  onChange?: (kid: string) => void
}
/** A UID, found by its code or name. */
function UidSelect({ disabled, known, id, value, onChange }: UidProps) {
  const { t } = useTranslation('os-version')
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.opsUid.paging,
    { ...(text && { text }), page_size: 50, sort: 'code' as const },
    { keepPrevious: true, enabled: !disabled },
  )
  const found = (query.data?.items ?? []).map(({ kid, code, display_name }) => ({
    value: kid,
    label: `${code} · ${display_name}`,
  }))
  const own = known ? [{ value: known.uid_kid, label: `${known.uid_code} · ${known.uid_name}` }] : []
  return (
    <Select<string>
      {...(id !== undefined && { id })}
      {...(value !== undefined && { value })}
      disabled={disabled}
      {...searchSelect(typed, query, found, own)}
      notFoundContent={t('none_found')}
      onChange={(kid) => {
        typed.setTyped('')
        onChange?.(kid)
      }}
    />
  )
}
