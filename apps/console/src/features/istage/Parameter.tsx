import { Button, Form, Input, InputNumber, Select, Switch, Upload } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants, fileInValue, fileValue } from '@mdm/contract'
import type { IstageValue } from '@mdm/contract'
import { localized } from '@mdm/contract/istage/index.ts'
import type { TemplateField } from '@mdm/contract/istage/index.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { base64Of } from '../../lib/base64.ts'
import { Bytes } from '../../ui/value/values.tsx'

type Props = {
  id: string
  field: TemplateField
  value: IstageValue | undefined
  fault: string | undefined
  onChange: (value: IstageValue | undefined) => void
}
/** One field of a template. Its title names the control, and its fault stands below it. */
export function Parameter({ id, field, value, fault, onChange }: Props) {
  const { t } = useTranslation('istage')
  const language = useSessionStore((s) => s.language)
  const [too_large, setTooLarge] = useState(false)
  const shown = too_large ? t('file.too_large') : fault
  const hint = [field.hint && localized(field.hint, language), field.is_fixed && t('parameters.fixed')]
  return (
    <Form.Item
      label={<span dir="auto">{localized(field.title, language)}</span>}
      htmlFor={id}
      required={field.is_required}
      help={shown}
      extra={hint.filter(Boolean).join(' ') || undefined}
      {...(shown !== undefined && { validateStatus: 'error' })}
    >
      <Control id={id} field={field} value={value} onChange={onChange} onTooLarge={setTooLarge} />
    </Form.Item>
  )
}

type ControlProps = Omit<Props, 'fault'> & { onTooLarge: (is_too_large: boolean) => void }
function Control({ id, field, value, onChange, onTooLarge }: ControlProps) {
  const { t } = useTranslation('istage')
  const language = useSessionStore((s) => s.language)
  const common = { id, disabled: field.is_fixed }
  const typed = (event: { target: { value: string } }) => onChange(event.target.value)
  switch (field.kind) {
    case 'text':
      return field.is_multiline ? (
        <Input.TextArea
          {...common}
          value={value as string | undefined}
          maxLength={field.max_length}
          autoSize={{ minRows: 2, maxRows: 8 }}
          onChange={typed}
        />
      ) : (
        <Input
          {...common}
          autoComplete="off"
          value={value as string | undefined}
          maxLength={field.max_length}
          onChange={typed}
        />
      )
    case 'secret':
      return (
        <Input.Password
          {...common}
          autoComplete="new-password"
          value={value as string | undefined}
          maxLength={field.max_length}
          onChange={typed}
        />
      )
    case 'number':
      return (
        <InputNumber
          {...common}
          className="wide"
          value={(value as number | undefined) ?? null}
          {...(field.is_whole && { precision: 0 })}
          suffix={field.unit}
          onChange={(number) => onChange(number ?? undefined)}
        />
      )
    case 'toggle':
      return <Switch {...common} checked={value === true} onChange={(is_on) => onChange(is_on)} />
    case 'choice':
      return (
        <Select
          {...common}
          allowClear={!field.is_required}
          value={value as string | undefined}
          placeholder={t('choose.option')}
          options={field.options.map((option) => ({ value: option.value, label: localized(option.title, language) }))}
          onChange={(chosen: string | undefined) => onChange(chosen)}
        />
      )
    case 'file': {
      const file = fileInValue(value)
      const read = async (chosen: File) => {
        const is_too_large = chosen.size > Math.min(field.max_bytes, constants.config_file_bytes)
        onTooLarge(is_too_large)
        if (!is_too_large) onChange(fileValue(chosen.name, await base64Of(chosen)))
      }
      return (
        <span className="istage-file">
          <Upload
            id={id}
            maxCount={1}
            showUploadList={false}
            {...(field.extensions && { accept: field.extensions.map((one) => `.${one}`).join(',') })}
            beforeUpload={(chosen) => {
              void read(chosen)
              return false
            }}
          >
            <Button>{t('file.choose')}</Button>
          </Upload>
          {file ? (
            <>
              <a href={String(value)} download={file.name}>
                {file.name}
              </a>
              <Bytes value={file.bytes} />
              <Button type="link" size="small" onClick={() => onChange(undefined)}>
                {t('file.remove')}
              </Button>
            </>
          ) : (
            <span className="dim">{t('file.up_to', { size: `${Math.ceil(field.max_bytes / 1024)} KB` })}</span>
          )}
        </span>
      )
    }
  }
}
