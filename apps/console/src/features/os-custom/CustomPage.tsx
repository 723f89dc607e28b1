import { Button, Input, Select, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import type { OsCustomDetail, Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { UploadField } from '../../shared/upload/UploadField.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { AppsField } from './AppsField.tsx'
import { FilesField } from './FilesField.tsx'
import './os-custom.css'

type Draft = Sent<typeof api.osCustom.insert>
const schema = api.osCustom.insert.input

/** Adds a custom OS, or edits the one that the address names. */
export default function CustomPage() {
  const kid = useSearchParams()[0].get('kid')
  return kid === null ? <Add /> : <Edit key={kid} kid={kid} />
}

function Add() {
  const { t } = useTranslation('os-custom')
  const insert = useWrite(api.osCustom.insert, { done: t('added') })
  return <CustomForm write={insert} onSubmit={(draft) => insert.mutateAsync(draft)} />
}

function Edit({ kid }: { kid: string }) {
  const { t } = useTranslation('os-custom')
  const query = useCall(api.osCustom.get, { kid })
  const update = useWrite(api.osCustom.update, { done: t('saved') })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return <CustomForm of={query.data} write={update} onSubmit={(draft) => update.mutateAsync({ ...draft, kid })} />
}

type Props = {
  of?: OsCustomDetail
  write: { isPending: boolean; error: ReturnType<typeof useWrite>['error'] }
  onSubmit: (draft: Draft & { is_picture_removed?: boolean }) => unknown
}
function CustomForm({ of, write, onSubmit }: Props) {
  const { t } = useTranslation('os-custom')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const bases = useCall(api.osCustom.list_base, {})
  const configurations = useCall(api.osCustom.list_configuration, {})
  const [is_picture_removed, setRemoved] = useState(false)
  const title = textOf(pages[of ? 'userOsCustomEdit' : 'userOsCustomAdd'].title)
  const leave = () => void navigate(link.userOsCustomList.to())
  const fitting = (bases.data ?? []).filter(({ model_kid }) => !of || model_kid === of.model_kid)
  const options = fitting.map(({ kid, model_code, model_name, base_os_version }) => ({
    value: kid,
    label: [base_os_version, model_code, model_name].filter(Boolean).join(' · '),
  }))
  if (of && !options.some(({ value }) => value === of.base_kid))
    options.unshift({ value: of.base_kid, label: `${of.base_os_version} · ${of.model_code}` })
  const configurationOptions = (configurations.data ?? []).map(({ kid, name, type, terminal_group_name, version }) => ({
    value: kid,
    label: [
      name || t(`configuration.${type === 2 ? 'event' : 'os'}`),
      terminal_group_name ?? t('configuration.account'),
      `v${version}`,
    ].join(' · '),
  }))
  if (of?.configuration?.is_gone)
    configurationOptions.unshift({ value: of.configuration.kid, label: `${of.configuration.name} · ${t('gone')}` })
  const picture = is_picture_removed ? undefined : of?.picture
  return (
    <FormPage<Draft>
      title={title}
      submit={of ? t('save') : title}
      icon={pageIcon('userOsCustomList')}
      initial={of ? draftOf(of) : { apps: [], files: [], remark: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(draft) =>
        onSubmit({
          ...draft,
          configuration_kid: draft.configuration_kid ?? null,
          ...(is_picture_removed && draft.picture_upload_kid === undefined && { is_picture_removed }),
        })
      }
      onDone={leave}
      onCancel={leave}
    >
      <Field name="name" label={t('column.name')} extra={t('name_hint')} schema={schema}>
        <Input autoComplete="off" />
      </Field>
      <Field name="base_kid" label={t('column.base')} extra={t(of ? 'base_hint_edit' : 'base_hint')} schema={schema}>
        <Select
          showSearch={{ optionFilterProp: 'label' }}
          loading={bases.isFetching}
          placeholder={t('base_choose')}
          notFoundContent={t('base_none')}
          options={options}
        />
      </Field>
      <Field name="apps" label={t('column.apps')} extra={t('app.hint')}>
        <AppsField known={of?.apps ?? []} />
      </Field>
      <Field name="files" label={t('column.files')} extra={t('file.hint')} schema={schema}>
        <FilesField known={of?.files ?? []} />
      </Field>
      <Field name="configuration_kid" label={t('configuration.label')} extra={t('configuration.hint')}>
        <Select allowClear placeholder={t('configuration.none')} options={configurationOptions} />
      </Field>
      {picture && (
        <div>
          <img className="os-custom-picture" src={picture.url} alt={t('picture.label')} />
          <Button size="small" onClick={() => setRemoved(true)}>
            {t('picture.remove')}
          </Button>
        </div>
      )}
      <Field name="picture_upload_kid" label={t('picture.label')} extra={t('picture.hint')}>
        <UploadField
          label={t('picture.label')}
          accept=".png"
          current={picture ? { name: picture.name, size: picture.size } : undefined}
        />
      </Field>
      <Field name="remark" label={t('remark')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormPage>
  )
}

const draftOf = ({ name, base_kid, apps, files, configuration, remark }: OsCustomDetail): Partial<Draft> => ({
  name,
  base_kid,
  apps: apps.map(({ app_kid, version_kid }) => ({ app_kid, version_kid })),
  files: files.map(({ file_kid, path }) => ({ file_kid, path })),
  ...(configuration && { configuration_kid: configuration.kid }),
  remark,
})
