import { Button, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RangeFilter } from './filters.tsx'
import type { ListParams, ParamSchema } from './params.ts'

type Range = { min: number; max: number }
type Props = { filter: RangeFilter; params: ListParams<ParamSchema>; onDone: () => void }

/** Both bounds are needed, and the lower one comes first (specification, section 5). */
export function RangeEditor({ filter, params, onDone }: Props) {
  const { t } = useTranslation('common')
  const value = params.values[filter.key] as Range | undefined
  const [min, setMin] = useState<number | null>(value?.min ?? null)
  const [max, setMax] = useState<number | null>(value?.max ?? null)
  const [is_tried, setTried] = useState(false)
  const problem = min === null || max === null ? t('list.range_both') : min > max ? t('list.range_order') : undefined
  const input = (label: string, bound: number | null, set: (to: number | null) => void) => (
    <label>
      <span>{label}</span>
      <InputNumber<number>
        min={filter.min}
        max={filter.max}
        suffix={filter.unit}
        value={bound}
        status={is_tried && problem ? 'error' : undefined}
        onChange={set}
      />
    </label>
  )
  return (
    <form
      className="filter-range"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (problem) return
        params.set({ [filter.key]: { min, max } as never })
        onDone()
      }}
    >
      {input(t('list.range_min'), min, setMin)}
      {input(t('list.range_max'), max, setMax)}
      {is_tried && problem && (
        <p className="filter-problem" role="alert">
          {problem}
        </p>
      )}
      <Button type="primary" htmlType="submit">
        {t('list.range_apply')}
      </Button>
    </form>
  )
}
