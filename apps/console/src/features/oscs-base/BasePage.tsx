import { Input, InputNumber, Select, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import type { OscsBase, Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { FileField } from './FileField.tsx'

type Draft = Sent<typeof api.opsOscsBase.insert>
const schema = api.opsOscsBase.insert.input

/** Adds a base version, or edits the one that the address names. */
export default function BasePage() {
  const kid = useSearchParams()[0].get('kid')
  return kid === null ? <Add /> : <Edit key={kid} kid={kid} />
}

function Add() {
  const { t } = useTranslation('oscs-base')
  const insert = useWrite(api.opsOscsBase.insert, { done: t('base.added'), also: ['ops/oscs_model'] })
  return <Form write={insert} onSubmit={(draft) => insert.mutateAsync(draft)} />
}

function Edit({ kid }: { kid: string }) {
  const { t } = useTranslation('oscs-base')
  const query = useCall(api.opsOscsBase.get, { kid })
  const update = useWrite(api.opsOscsBase.update, { done: t('saved'), also: ['ops/oscs_model'] })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return <Form of={query.data} write={update} onSubmit={(draft) => update.mutateAsync({ ...draft, kid })} />
}

type Props = {
  of?: OscsBase
  write: { isPending: boolean; error: ReturnType<typeof useWrite>['error'] }
  onSubmit: (draft: Draft) => unknown
}
function Form({ of, write, onSubmit }: Props) {
  const { t } = useTranslation('oscs-base')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const models = useCall(api.opsOscsModel.paging, { page_size: 200, sort: 'code' })
  const title = textOf(pages[of ? 'oscsBaseManageEdit' : 'oscsBaseManageAdd'].title)
  const leave = () => void navigate(link.oscsBaseManageList.to())
  const is_fixed = of !== undefined && of.custom_count > 0
  return (
    <FormPage<Draft>
      title={title}
      submit={of ? t('save') : title}
      icon={pageIcon('oscsBaseManageList')}
      initial={
        of
          ? {
              model_kid: of.model_kid,
              base_os_version: of.base_os_version,
              version_code: of.version_code,
              remark: of.remark,
            }
          : { remark: '' }
      }
      loading={write.isPending}
      submitError={write.error}
      onSubmit={onSubmit}
      onDone={leave}
      onCancel={leave}
    >
      {is_fixed && <p className="dim">{t('base.fixed', { count: of.custom_count })}</p>}
      <Field name="model_kid" label={t('model.code')} extra={t('base.model_hint')} schema={schema}>
        <Select
          disabled={is_fixed}
          showSearch={{ optionFilterProp: 'label' }}
          loading={models.isFetching}
          placeholder={t('base.model_choose')}
          options={(models.data?.items ?? []).map(({ kid, code, uid_code }) => ({
            value: kid,
            label: `${code} · ${uid_code}`,
          }))}
        />
      </Field>
      <Field name="base_os_version" label={t('base.version')} extra={t('base.version_hint')} schema={schema}>
        <Input autoComplete="off" spellCheck={false} disabled={is_fixed} />
      </Field>
      <Field name="version_code" label={t('base.version_code')} extra={t('base.version_code_hint')} schema={schema}>
        <InputNumber style={{ width: '100%' }} min={0} precision={0} disabled={is_fixed} />
      </Field>
      <FileField
        schema={schema}
        name="os_upload_kid"
        label={t('file.os')}
        hint={t('file.os_hint')}
        current={of?.os}
        disabled={is_fixed}
      />
      <FileField
        schema={schema}
        name="config_upload_kid"
        label={t('file.config')}
        hint={t('file.config_hint')}
        current={of?.config}
        disabled={is_fixed}
      />
      <Field name="remark" label={t('remark')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormPage>
  )
}
