import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Checkbox, Form, Input, InputNumber, Select, Switch, Upload } from 'antd'
import { useTranslation } from 'react-i18next'
import { initialOf, isMask, isMeant, wifiRegions } from '@mdm/contract/config/sections.ts'
import type { ConfigField, ConfigFields, WifiRegion } from '@mdm/contract/config/sections.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { base64Of } from '../../../lib/base64.ts'
import { WindowSelect } from '../../../shared/windows/WindowSelect.tsx'
import { Field } from '../../../ui/form/form.tsx'
import { ZoneSelect } from '../../../ui/form/ZoneSelect.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { IstageSelect } from './IstageSelect.tsx'
import { LocaleSelect } from './LocaleSelect.tsx'
import { ColumnsInput } from './ColumnsInput.tsx'
import { PackageInput, PackagesInput } from './apps/PackageInput.tsx'

type Path = (string | number)[]
type Values = Record<string, unknown>

/** Fields of a section as its declaration has them; those that mean nothing beside the others are not shown. */
export function SectionFields({ fields, path, beside }: { fields: ConfigFields; path: Path; beside: Values }) {
  return Object.entries(fields)
    .filter(([, field]) => !field.is_derived && isMeant(field, beside))
    .map(([name, field]) => <OneField key={name} field={field} path={[...path, name]} beside={beside} />)
}

function OneField({ field, path, beside }: { field: ConfigField; path: Path; beside: Values }) {
  const textOf = useTextOf()
  if (field.kind === 'rows') return <Rows field={field} path={path} />
  const label = textOf(field.title)
  const hint = field.hint && textOf(field.hint)
  // What has a value in any case, or may have none; the section as a whole is checked before it is saved.
  const is_optional = field.kind === 'toggle' || field.kind === 'choice' || field.schema.safeParse(null).success
  return (
    <Field
      name={path}
      label={label}
      extra={hint}
      rules={is_optional ? [] : zodRules(field.schema)}
      {...(field.kind === 'toggle' && { valuePropName: 'checked' })}
    >
      <Control field={field} label={label} beside={beside} />
    </Field>
  )
}

type ControlProps = {
  field: ConfigField
  label: string
  beside: Values
  /** `Field` gives these. */
  id?: string
  value?: unknown
  checked?: boolean
  onChange?: (value: unknown) => void
}
function Control({ field, label, beside, id, value, checked, onChange }: ControlProps) {
  const textOf = useTextOf()
  const { t } = useTranslation('configure/edit')
  const given = { id, onChange }
  switch (field.kind) {
    case 'toggle':
      return <Switch {...given} checked={checked ?? false} aria-label={label} />
    case 'choice':
      return (
        <Select
          {...given}
          value={value}
          aria-label={label}
          options={Object.entries(field.options ?? {}).map(([key, text]) => ({
            value: field.is_number ? Number(key) : key,
            label: textOf(text),
          }))}
        />
      )
    case 'many':
      return <Many field={field} id={id} label={label} beside={beside} value={value} onChange={onChange} />
    case 'number':
      return (
        <InputNumber
          {...given}
          value={value as number | null}
          aria-label={label}
          precision={0}
          suffix={field.unit}
          className="config-field-number"
        />
      )
    case 'area':
      return <Input.TextArea {...given} value={value as string} autoSize={{ minRows: 3, maxRows: 12 }} />
    case 'lines':
      if (field.is_package)
        return <PackagesInput id={id} label={label} value={value as string[] | undefined} onChange={onChange} />
      if (field.is_column)
        return <ColumnsInput id={id} label={label} value={value as string[] | undefined} onChange={onChange} />
      return (
        <Input.TextArea
          id={id}
          value={(value as string[] | undefined)?.join('\n') ?? ''}
          placeholder={field.placeholder}
          autoSize={{ minRows: 3, maxRows: 12 }}
          onChange={(event) => onChange?.(event.target.value.split('\n').map((line) => line.trimStart()))}
          onBlur={() => onChange?.((value as string[] | undefined)?.map((line) => line.trim()).filter(Boolean) ?? [])}
        />
      )
    case 'secret':
      return (
        <Input.Password
          {...given}
          value={value as string}
          autoComplete="new-password"
          // Typed over as a whole: nobody edits a part of what they cannot see.
          onFocus={(event) => isMask(value) && event.target.select()}
        />
      )
    case 'file':
      return (
        <span className="config-file">
          <Upload
            {...(id !== undefined && { id })}
            maxCount={1}
            showUploadList={false}
            beforeUpload={(file) => {
              void base64Of(file).then(onChange)
              return false
            }}
          >
            <Button>{t('file.choose')}</Button>
          </Upload>
          <span className="dim">{isMask(value) ? t('secret_set') : value ? t('file.chosen') : t('file.none')}</span>
        </span>
      )
    default:
      if (field.is_package)
        return (
          <PackageInput
            id={id}
            label={label}
            value={value as string | undefined}
            placeholder={field.placeholder}
            onChange={onChange}
          />
        )
      if (field.is_maintenance_window)
        return <WindowSelect {...given} label={label} value={value as string | undefined} />
      if (field.is_istage) return <IstageSelect {...given} label={label} value={value as string | undefined} />
      if (field.is_zone) return <ZoneSelect {...given} aria-label={label} value={(value as string) || null} />
      if (field.is_locale) return <LocaleSelect {...given} label={label} value={value as string} />
      return <Input {...given} value={value as string} placeholder={field.placeholder} />
  }
}

/** Several numbers: those that the field names, or the channels of the region, those of 2.4 GHz below 15. */
function Many({ field, id, label, beside, value, onChange }: ControlProps) {
  const textOf = useTextOf()
  const regions = wifiRegions[(beside['region'] as WifiRegion | undefined) ?? 'CN']
  const channels = regions[label.startsWith('2') ? 0 : 1].map((channel) => ({ value: channel, label: String(channel) }))
  const named = field.options && Object.entries(field.options)
  return (
    <Checkbox.Group
      {...(id !== undefined && { id })}
      aria-label={label}
      className="config-choices"
      value={(value as number[] | undefined) ?? []}
      onChange={(list) => onChange?.((list as number[]).toSorted((a, b) => a - b))}
      options={named?.map(([key, text]) => ({ value: Number(key), label: textOf(text) })) ?? channels}
    />
  )
}

function Rows({ field, path }: { field: ConfigField; path: Path }) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const title = textOf(field.title)
  const fields = field.fields ?? {}
  return (
    <Form.List name={path}>
      {(rows, { add, remove }, { errors }) => (
        <fieldset className="config-rows" aria-label={title}>
          <legend>{title}</legend>
          {rows.map((row, at) => (
            <div key={row.key} className="config-row" role="group" aria-label={`${title} ${at + 1}`}>
              <Form.Item noStyle shouldUpdate>
                {({ getFieldValue }) => (
                  <SectionFields
                    fields={fields}
                    path={[row.name]}
                    beside={(getFieldValue([...path, row.name]) as Values | undefined) ?? {}}
                  />
                )}
              </Form.Item>
              <Button
                type="text"
                icon={<DeleteOutlined aria-hidden />}
                aria-label={t('row.remove', { title, number: at + 1 })}
                onClick={() => remove(row.name)}
              />
            </div>
          ))}
          <Form.ErrorList errors={errors} />
          <Button icon={<PlusOutlined aria-hidden />} onClick={() => add(initialOf(fields))}>
            {t('row.add', { title })}
          </Button>
        </fieldset>
      )}
    </Form.List>
  )
}
