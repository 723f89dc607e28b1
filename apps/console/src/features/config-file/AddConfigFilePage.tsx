import { UploadOutlined } from '@ant-design/icons'
import { Button, Form, Input, Upload } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { constants } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { base64Of } from '../../lib/base64.ts'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'

type Values = { name: string; path: string; description: string; content: string }

/** A configuration file with where it goes on devices. */
export default function AddConfigFilePage() {
  const { t } = useTranslation(['config-file', 'common'])
  const navigate = useNavigate()
  const [form] = Form.useForm<Values>()
  const [chosen, setChosen] = useState<string>()
  const insert = useWrite(api.configFile.insert, { done: t('added') })
  const back = () => void navigate(link.configureFilePushList.to())
  const { input } = api.configFile.insert
  async function choose(file: File): Promise<void> {
    if (file.size > constants.config_file_bytes) {
      setChosen(undefined)
      form.setFields([{ name: 'content', value: '', errors: [t('too_large')] }])
      return
    }
    setChosen(file.name)
    form.setFields([{ name: 'content', value: await base64Of(file), errors: [] }])
    if (!form.getFieldValue('name')) form.setFieldValue('name', file.name)
  }
  return (
    <FormPage<Values>
      form={form}
      title={t('add')}
      icon={pageIcon('configureFilePushList')}
      submit={t('add')}
      initial={{ name: '', path: '/sdcard/Download', description: '', content: '' }}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={(values) => insert.mutateAsync(values)}
      onDone={back}
      onCancel={back}
    >
      <Field
        name="content"
        label={t('field.file')}
        extra={t('field.file_hint')}
        rules={[{ required: true, message: t('no_file') }]}
      >
        <FileInput label={t('choose')} chosen={chosen} onChoose={choose} />
      </Field>
      <Field name="name" label={t('field.name')} schema={input}>
        <Input />
      </Field>
      <Field name="path" label={t('field.path')} schema={input}>
        <Input className="code" />
      </Field>
      <Field name="description" label={t('field.description')}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={500} />
      </Field>
    </FormPage>
  )
}

type FileInputProps = { id?: string; label: string; chosen: string | undefined; onChoose: (file: File) => unknown }
function FileInput({ id, label, chosen, onChoose }: FileInputProps) {
  return (
    <Upload
      {...(id !== undefined && { id })}
      maxCount={1}
      showUploadList={false}
      beforeUpload={(file) => {
        onChoose(file)
        return false
      }}
    >
      <Button icon={<UploadOutlined aria-hidden />}>{chosen ?? label}</Button>
    </Upload>
  )
}
