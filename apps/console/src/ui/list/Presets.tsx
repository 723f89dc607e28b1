import { useTranslation } from 'react-i18next'
import type { ListParams, ParamSchema } from './params.ts'

/** Filters that are asked for all day, under one word: `{ states: ['open'] }`. */
export type Preset = { label: string; values: Readonly<Record<string, string | string[]>> }
type Props = { presets: readonly Preset[]; params: ListParams<ParamSchema> }

/** One click filters, another takes it back. Two of other filters go together. */
export function Presets({ presets, params }: Props) {
  const { t } = useTranslation('common')
  return (
    <span role="group" aria-label={t('list.presets')} className="quick-filters">
      {presets.map(({ label, values }) => {
        const names = Object.keys(values)
        const is_on = names.every((name) => JSON.stringify(params.values[name]) === JSON.stringify(values[name]))
        return (
          <button
            key={label}
            type="button"
            className="chip quick-filter"
            aria-pressed={is_on}
            onClick={() => params.set(is_on ? Object.fromEntries(names.map((name) => [name, null])) : { ...values })}
          >
            {label}
          </button>
        )
      })}
    </span>
  )
}
