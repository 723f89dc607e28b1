import { UploadOutlined } from '@ant-design/icons'
import { Button, Form, Upload } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { useWrite } from '../../core/api.ts'
import type { api } from '../../core/api.ts'
import { base64Of } from '../../lib/base64.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { Code } from '../../ui/value/values.tsx'
import './istage.css'

type Values = { private_content: string }
type Props = { call: typeof api.istageTemplate.import; onClose: () => void }
/** Imports a template from a local file, and says what is wrong with it place by place. */
export function ImportDrawer({ call, onClose }: Props) {
  const { t } = useTranslation('istage')
  const [form] = Form.useForm<Values>()
  const [chosen, setChosen] = useState<string>()
  const write = useWrite(call, { done: ({ name, version }) => t('template.imported', { name, version }) })
  async function choose(file: File): Promise<void> {
    write.reset()
    const is_large = file.size > constants.config_file_bytes
    setChosen(file.name)
    form.setFields([
      is_large
        ? { name: 'private_content', value: '', errors: [t('file.too_large')] }
        : { name: 'private_content', value: await base64Of(file), errors: [] },
    ])
  }
  const places = Object.entries(write.error?.fields ?? {}).filter(([path]) => path !== 'private_content')
  return (
    <FormDrawer<Values>
      form={form}
      title={t('template.import')}
      submit={t('template.import')}
      initial={{ private_content: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(values) => write.mutateAsync(values)}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="dim">{t('template.import_hint')}</p>
      <Field
        name="private_content"
        label={t('template.file')}
        rules={[{ required: true, message: t('file.none') }]}
        validateTrigger={[]}
      >
        <TemplateInput label={t('file.choose')} chosen={chosen} onChoose={choose} />
      </Field>
      {places.length > 0 && (
        <ul className="istage-places">
          {places.slice(0, 20).map(([path, message]) => (
            <li key={path}>
              <Code value={path} /> {message}
            </li>
          ))}
        </ul>
      )}
    </FormDrawer>
  )
}

type InputProps = { id?: string; label: string; chosen: string | undefined; onChoose: (file: File) => Promise<void> }
function TemplateInput({ id, label, chosen, onChoose }: InputProps) {
  return (
    <Upload
      {...(id !== undefined && { id })}
      accept=".json,.templatejson,application/json"
      maxCount={1}
      showUploadList={false}
      beforeUpload={(file) => {
        void onChoose(file)
        return false
      }}
    >
      <Button icon={<UploadOutlined aria-hidden />}>{chosen ?? label}</Button>
    </Upload>
  )
}
