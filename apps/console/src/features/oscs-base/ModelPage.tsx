import { Input, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import type { OscsModel, Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { FileField } from './FileField.tsx'
import { UidSelect } from './UidSelect.tsx'

type Draft = Sent<typeof api.opsOscsModel.insert>
const schema = api.opsOscsModel.insert.input

/** Adds a model, or edits the one that the address names. */
export default function ModelPage() {
  const kid = useSearchParams()[0].get('kid')
  return kid === null ? <Add /> : <Edit key={kid} kid={kid} />
}

function Add() {
  const { t } = useTranslation('oscs-base')
  const insert = useWrite(api.opsOscsModel.insert, { done: t('model.added'), also: ['ops/uid'] })
  return <Form write={insert} onSubmit={(draft) => insert.mutateAsync(draft)} />
}

function Edit({ kid }: { kid: string }) {
  const { t } = useTranslation('oscs-base')
  const query = useCall(api.opsOscsModel.get, { kid })
  const update = useWrite(api.opsOscsModel.update, { done: t('saved'), also: ['ops/uid', 'ops/oscs_base'] })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return <Form of={query.data} write={update} onSubmit={(draft) => update.mutateAsync({ ...draft, kid })} />
}

type Props = {
  of?: OscsModel
  write: { isPending: boolean; error: ReturnType<typeof useWrite>['error'] }
  onSubmit: (draft: Draft) => unknown
}
function Form({ of, write, onSubmit }: Props) {
  const { t } = useTranslation('oscs-base')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const title = textOf(pages[of ? 'oscsModelManageEdit' : 'oscsModelManageAdd'].title)
  const leave = () => void navigate(link.oscsModelManageList.to())
  return (
    <FormPage<Draft>
      title={title}
      submit={of ? t('save') : title}
      icon={pageIcon('oscsModelManageList')}
      initial={of ? { code: of.code, name: of.name, uid_kid: of.uid_kid, remark: of.remark } : { name: '', remark: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={onSubmit}
      onDone={leave}
      onCancel={leave}
    >
      <Field name="code" label={t('model.code')} extra={t('model.code_hint')} schema={schema}>
        <Input autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="name" label={t('model.name')} schema={schema}>
        <Input autoComplete="off" />
      </Field>
      <Field
        name="uid_kid"
        label={t('uid')}
        extra={t(of && of.base_count > 0 ? 'model.uid_fixed' : 'model.uid_hint')}
        schema={schema}
      >
        <UidSelect disabled={of !== undefined && of.base_count > 0} />
      </Field>
      <FileField
        schema={schema}
        name="sum_upload_kid"
        label={t('file.sum')}
        hint={t('file.sum_hint')}
        current={of?.sum}
      />
      <Field name="remark" label={t('remark')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormPage>
  )
}
