import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listText } from '../../i18n/list-text.ts'
import type { PastedFilter } from './filters.tsx'
import { useCount } from '../value/format.ts'
import type { ListParams, ParamSchema } from './params.ts'
import { pastedParts } from './pasted.ts'

type Props = { filter: PastedFilter; params: ListParams<ParamSchema>; onDone: () => void }

/** A column of a sheet, pasted as it is; says what of it was not found. */
export function PastedEditor({ filter, params, onDone }: Props) {
  const { t } = useTranslation('common')
  const count = useCount()
  const value = (params.values[filter.key] as string[] | undefined) ?? []
  const [typed, setTyped] = useState(value.join('\n'))
  const [is_tried, setTried] = useState(false)
  const parts = pastedParts(typed)
  const is_full = parts.length > filter.max
  const problem = is_full
    ? t('list.pasted_most', { max: count(filter.max), shown: count(parts.length) })
    : is_tried && parts.length === 0
      ? t('list.pasted_none')
      : undefined
  return (
    <form
      className="filter-pasted"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (is_full || parts.length === 0) return
        params.set({ [filter.key]: parts as never })
        onDone()
      }}
    >
      <label>
        <span>{filter.label}</span>
        <Input.TextArea
          rows={8}
          spellCheck={false}
          placeholder={t('list.pasted_hint')}
          value={typed}
          status={problem ? 'error' : undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      {problem && (
        <p className="filter-problem" role="alert">
          {problem}
        </p>
      )}
      {filter.missing.length > 0 && <p>{t('list.pasted_missing', { names: listText(filter.missing) })}</p>}
      <Button type="primary" htmlType="submit">
        {t('list.range_apply')}
      </Button>
    </form>
  )
}
