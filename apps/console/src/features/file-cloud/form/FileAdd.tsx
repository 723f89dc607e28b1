import { Form, Input, Radio } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { useWrite } from '../../../core/api.ts'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { DevicePathField, nameRule } from './fields.tsx'
import { FolderSelect } from '../folders/FolderSelect.tsx'
import { fileSides } from '../sides.ts'
import type { SideProps } from '../sides.ts'
import { UploadDialog } from '../upload/UploadDialog.tsx'
import { useInterrupted } from '../upload/InterruptedLines.tsx'
import '../file-cloud.css'

type Values = {
  kind: 'folder' | 'file'
  folder_kid: string | null
  name?: string
  device_path?: string
  is_visible: boolean
}

/** A new folder, or files that are uploaded into one. */
export function FileAdd({ side }: SideProps) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const { calls, links } = fileSides[side]
  const [form] = Form.useForm<Values>()
  const kind = Form.useWatch('kind', form) ?? 'folder'
  const input = useRef<HTMLInputElement>(null)
  const [upload, setUpload] = useState<{ files: File[]; folder_kid: string | null; is_visible: boolean } | null>(null)
  const interrupted = useInterrupted(side)
  const create = useWrite(calls.insert_folder, { done: t('add.folder_done') })
  const back = () => void navigate(links.list.to({ folder_kid: form.getFieldValue('folder_kid') as string | null }))
  const submit = async ({ name = '', folder_kid, device_path, is_visible }: Values) => {
    await create.mutateAsync({
      name,
      folder_kid: folder_kid ?? null,
      is_visible,
      device_path: device_path?.trim() || null,
    })
  }
  const begun = useRef<() => void>(() => undefined)
  return (
    <>
      <FormPage<Values>
        form={form}
        title={t(kind === 'folder' ? 'add.folder_title' : 'add.title')}
        submit={t(kind === 'folder' ? 'add.folder_submit' : 'add.submit')}
        initial={{
          kind: search.get('kind') === 'file' ? 'file' : 'folder',
          folder_kid: search.get('folder_kid'),
          is_visible: true,
        }}
        loading={create.isPending}
        submitError={create.error}
        onSubmit={async (values) => {
          if (values.kind === 'folder') return submit(values)
          // The page is done with once the files are on their way; who chooses none goes on filling it in.
          await new Promise<void>((resolve) => {
            begun.current = resolve
            input.current?.click()
          })
        }}
        onDone={back}
        onCancel={back}
      >
        <Field name="kind" label={t('add.what')}>
          <Radio.Group
            optionType="button"
            options={[
              { value: 'folder', label: t('kind.folder') },
              { value: 'file', label: t('kind.file') },
            ]}
          />
        </Field>
        <Field name="folder_kid" label={t('folder.in')}>
          <FolderSelect side={side} />
        </Field>
        {kind === 'folder' && (
          <>
            <Field name="name" label={t('common:name')} rules={[nameRule(t)]}>
              <Input autoComplete="off" />
            </Field>
            <DevicePathField />
          </>
        )}
        <SwitchField name="is_visible" label={t('visible.label')} extra={t('visible.hint')} />
      </FormPage>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('add.choose')}
        onChange={(event) => {
          const { folder_kid, is_visible } = form.getFieldsValue()
          const files = [...(event.target.files ?? [])]
          if (files.length > 0) setUpload({ files, folder_kid, is_visible })
          event.target.value = ''
        }}
      />
      {upload && (
        <UploadDialog
          side={side}
          {...upload}
          interrupted={interrupted.all}
          onDone={() => begun.current()}
          onClose={() => setUpload(null)}
        />
      )}
    </>
  )
}
