import { UploadField } from '../../shared/upload/UploadField.tsx'
import { Field } from '../../ui/form/form.tsx'
import { zodRules } from '../../ui/form/zod-rules.ts'

type Props = {
  schema: Parameters<typeof zodRules>[0]
  name: string
  label: string
  hint: string
  /** The file that there is, which stays where no other is uploaded. */
  current?: { file_name: string; size: number } | undefined
  disabled?: boolean
}
/** One of the archives of a model or a base version. */
export const FileField = ({ schema, name, label, hint, current, disabled = false }: Props) => (
  <Field name={name} label={label} extra={hint} rules={current ? [] : zodRules(schema, name)}>
    <UploadField
      label={label}
      accept=".zip"
      disabled={disabled}
      current={current && { name: current.file_name, size: current.size }}
    />
  </Field>
)
