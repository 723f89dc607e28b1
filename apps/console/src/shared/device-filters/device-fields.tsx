import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomField, FieldValue } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Clipped, Dash } from '../../ui/value/values.tsx'
import { dayText, useNumber } from '../../ui/value/format.ts'
import '../device/device.css'

/** The fields of the account, in their order. */
export function useCustomFields(): readonly CustomField[] {
  return useCall(api.customField.list, {}).data ?? []
}

/** What a device has in a field, in words. */
function useFieldLabel(): (field: CustomField, value: FieldValue) => string {
  const { t } = useTranslation('common')
  const number = useNumber(false)
  return ({ kind }, value) => {
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
    if (typeof value === 'number') return number(value)
    return kind === 'date' ? dayText(String(value)) : String(value)
  }
}
export function FieldCell({ field, value }: { field: CustomField; value: FieldValue | undefined }): ReactNode {
  const label = useFieldLabel()
  if (value === undefined) return <Dash />
  const text = label(field, value)
  return field.kind === 'number' ? <span className="number">{text}</span> : <Clipped text={text} />
}

export function Tags({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <Dash />
  return (
    <span className="tags">
      {of.map((tag) => (
        <span key={tag} className="tag" title={tag}>
          {tag}
        </span>
      ))}
    </span>
  )
}
