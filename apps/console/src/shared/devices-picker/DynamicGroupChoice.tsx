import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { useConditionLabels } from '../device-filters/conditions/condition-labels.tsx'
import { ChoiceRows } from './GroupChoice.tsx'
import './choice.css'

type Props = { value: string | undefined; onChange: (kid: string) => void }

/** One dynamic group, by what its devices have in common. */
export function DynamicGroupChoice({ value, onChange }: Props) {
  const { t } = useTranslation(['devices-picker', 'common'])
  const { sentence } = useConditionLabels()
  const query = useCall(api.terminalDynamicGroup.list, { with_counts: true })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  if (query.isPending) return <SkeletonRows columns={1} label={t('common:list.loading')} />
  const chosen = query.data.find(({ kid }) => kid === value)
  return (
    <section className="group-choice" aria-label={t('by_dynamic')}>
      <p className="dim">{chosen ? sentence(chosen.where) : t('dynamic_hint')}</p>
      <ChoiceRows
        label={t('by_dynamic')}
        rows={query.data.map(({ kid, name, count }) => ({ kid, name, depth: 1, path: name, total: count }))}
        value={value}
        onChange={onChange}
        empty={t('dynamic_none')}
      />
    </section>
  )
}
