import { Alert, Input, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { CloudFileDetails } from '@mdm/contract'
import { useCall, useWrite } from '../../../core/api.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Properties } from '../../../ui/DetailPage.tsx'
import { PageHead } from '../../../ui/PageHead.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { Bytes, CopyId } from '../../../ui/value/values.tsx'
import { DevicePathField, nameRule } from './fields.tsx'
import { FolderSelect } from '../folders/FolderSelect.tsx'
import { fileSides } from '../sides.ts'
import type { FileSide, SideProps } from '../sides.ts'
import '../file-cloud.css'

/** A file or folder: what it is called, where it is, and what devices see of it. */
export function FileEdit({ side }: SideProps) {
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(fileSides[side].calls.get, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return query.data.origin === 'private' ? (
    <Edit key={kid} side={side} file={query.data} />
  ) : (
    <Platform file={query.data} />
  )
}

type Values = { name: string; folder_kid: string | null; is_visible: boolean; device_path: string }
function Edit({ side, file }: { side: FileSide; file: CloudFileDetails }) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const navigate = useNavigate()
  const { calls, links } = fileSides[side]
  const { kid, is_folder, parent_kid } = file
  const update = useWrite(calls.update, { done: t('edit.saved') })
  const back = () => void navigate(links.list.to({ folder_kid: parent_kid }))
  const submit = async ({ name, folder_kid, is_visible, device_path }: Values) => {
    if (folder_kid !== parent_kid) await move.mutateAsync({ kids: [kid], folder_kid })
    await update.mutateAsync({ kid, name, is_visible, ...(is_folder && { device_path: device_path.trim() || null }) })
  }
  const move = useWrite(calls.move)
  return (
    <FormPage<Values>
      title={t('edit.title', { name: file.name })}
      submit={t('edit.submit')}
      initial={{
        name: file.name,
        folder_kid: parent_kid,
        is_visible: file.is_visible,
        device_path: file.own_device_path ?? '',
      }}
      loading={update.isPending || move.isPending}
      submitError={move.error ?? update.error}
      onSubmit={submit}
      onDone={back}
      onCancel={back}
    >
      <Field name="name" label={t('common:name')} rules={[nameRule(t)]}>
        <Input autoComplete="off" />
      </Field>
      <Field name="folder_kid" label={t('folder.in')}>
        <FolderSelect side={side} without={is_folder ? [kid] : []} />
      </Field>
      {is_folder && <DevicePathField inherited={file.own_device_path === null ? file.device_path : undefined} />}
      <SwitchField name="is_visible" label={t('visible.label')} extra={t('visible.hint')} />
      {!is_folder && <Facts file={file} />}
    </FormPage>
  )
}

function Platform({ file }: { file: CloudFileDetails }) {
  const { t } = useTranslation('file-cloud')
  return (
    <section className="form-page">
      <PageHead title={file.name} />
      <Alert type="info" showIcon title={t('why_not.platform')} />
      <Facts file={file} />
    </section>
  )
}

function Facts({ file }: { file: CloudFileDetails }) {
  const { t } = useTranslation('file-cloud')
  return (
    <Properties
      of={[
        { label: t('column.size'), value: <Bytes value={file.size} /> },
        { label: t('column.content_type'), value: file.content_type },
        { label: t('folder.on_devices'), value: <code>{file.device_path}</code> },
        { label: t('column.sha256'), value: <CopyId value={file.sha256} short={16} /> },
      ]}
    />
  )
}
