import { DatePicker, Input, InputNumber, Select } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { customFieldLimits, tagLimits } from '@mdm/contract'
import type { CustomField, FieldValue } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import '../device/device.css'

type InputProps = {
  field: CustomField
  id?: string
  value?: FieldValue | null
  onChange?: (value: FieldValue | null) => void
}
/** Edits a value; null is none. */
export function FieldInput({ field, id, value, onChange }: InputProps) {
  const { t } = useTranslation('common')
  const given = { ...(id ? { id } : { 'aria-label': field.name }) }
  const change = (to: FieldValue | null | undefined) => onChange?.(to === undefined || to === '' ? null : to)
  if (field.kind === 'number') {
    const { number } = customFieldLimits
    return (
      <InputNumber<number>
        {...given}
        className="wide"
        min={-number}
        max={number}
        value={value as number | null}
        onChange={change}
      />
    )
  }
  if (field.kind === 'date') {
    const day = typeof value === 'string' ? dayjs(value) : null
    return (
      <DatePicker
        {...given}
        className="wide"
        format="YYYY/MM/DD"
        value={day}
        onChange={(at) => change(at?.format('YYYY-MM-DD'))}
      />
    )
  }
  if (field.kind === 'yes_no') {
    const options = [
      { value: 'true', label: t('yes') },
      { value: 'false', label: t('no') },
    ]
    const chosen = typeof value === 'boolean' ? String(value) : undefined
    return (
      <Select
        {...given}
        allowClear
        options={options}
        value={chosen}
        onChange={(to?: string) => change(to && to === 'true')}
      />
    )
  }
  if (field.kind === 'choice') {
    const options = field.choices.map((choice) => ({ value: choice, label: choice }))
    return (
      <Select
        {...given}
        allowClear
        options={options}
        value={(value as string | null) ?? undefined}
        onChange={(to?: string) => change(to)}
      />
    )
  }
  return (
    <Input
      {...given}
      allowClear
      maxLength={customFieldLimits.text}
      value={(value as string | null) ?? ''}
      onChange={(event) => change(event.target.value)}
    />
  )
}

type TagsProps = {
  id?: string
  value?: readonly string[]
  onChange?: (tags: string[]) => void
  /** Offers only tags that are there. */
  is_known?: boolean
  label?: string
  autoFocus?: boolean
  onBlur?: () => void
}
/** Tags by typing or choosing; one that the account has keeps its spelling. */
export function TagsInput({ id, value = [], onChange, is_known, label, ...rest }: TagsProps) {
  const { t } = useTranslation('device-filters')
  const known = useCall(api.terminal.list_tag, {}).data ?? []
  const spelled = (tag: string) => known.find((each) => each.toLowerCase() === tag.toLowerCase()) ?? tag
  // Two spellings are one tag also where the account has neither of them yet.
  const clean = (tags: string[]) => {
    const byName = new Map<string, string>()
    for (const tag of tags.map((each) => spelled(each.trim().slice(0, tagLimits.length).trim())))
      if (tag && !byName.has(tag.toLowerCase())) byName.set(tag.toLowerCase(), tag)
    return [...byName.values()]
  }
  // Left open it would lie over the next field, and Tab would choose instead of going there.
  const [is_open, setOpen] = useState(false)
  return (
    <Select<string[]>
      {...rest}
      {...(id ? { id } : { 'aria-label': label ?? t('tags.title') })}
      mode={is_known ? 'multiple' : 'tags'}
      open={is_open}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      className="wide"
      maxCount={tagLimits.of_device}
      placeholder={is_known ? undefined : t('tags.placeholder')}
      options={known.map((tag) => ({ value: tag, label: tag }))}
      value={[...value]}
      onChange={(tags) => onChange?.(clean(tags))}
    />
  )
}
