import { InputNumber, Select, Space } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { bytesIn, sizes, unitOf } from './byte-units.ts'
import type { Unit } from './byte-units.ts'

type Props = {
  id?: string
  value?: number
  onChange?: (bytes: number | null) => void
  label: string
  placeholder?: string | undefined
}

/** Bytes as a number and its unit. Another unit says the same number of something else. */
export function BytesInput({ id, value, onChange, label, placeholder }: Props) {
  const { t } = useTranslation('accounts')
  const [unit, setUnit] = useState<Unit>(() => unitOf(value ?? 0))
  const shown = value === undefined || value === null ? null : value / sizes[unit]
  return (
    <Space.Compact block>
      <InputNumber
        id={id}
        aria-label={label}
        min={0}
        value={shown}
        placeholder={placeholder}
        onChange={(number) => onChange?.(number === null ? null : bytesIn(number, unit))}
        style={{ width: '100%' }}
      />
      <Select<Unit>
        aria-label={t('space.unit')}
        value={unit}
        options={(Object.keys(sizes) as Unit[]).map((each) => ({ value: each, label: each }))}
        onChange={(next) => {
          setUnit(next)
          if (shown !== null) onChange?.(bytesIn(shown, next))
        }}
        style={{ width: 84 }}
      />
    </Space.Compact>
  )
}
