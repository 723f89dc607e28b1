import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useConditionLabels } from '../device-filters/conditions/condition-labels.tsx'
import { newGroup, whereOf } from '../device-filters/conditions/where-draft.ts'
import { WhereEditor } from '../device-filters/conditions/WhereEditor.tsx'
import '../device-filters/conditions/where.css'
import type { ChosenDevices } from './chosen.ts'
import './choice.css'

type Filter = Extract<ChosenDevices, { kind: 'filter' }>
type Props = { value: Filter; onChange: (chosen: Filter) => void }

const empty = newGroup()
/** Every device that meets conditions: those of the list where the person came from, or conditions that are made here. */
export function FilterChoice({ value, onChange }: Props) {
  const { t } = useTranslation('devices-picker')
  const { fields } = useConditionLabels()
  if (value.given) {
    return (
      <section className="filter-choice" aria-label={t('by_filter')}>
        <p>{value.given.said ? t('filter_given', { said: value.given.said }) : t('filter_given_all')}</p>
        <p>
          <Button onClick={() => onChange({ kind: 'filter' })}>{t('filter_own')}</Button>
        </p>
      </section>
    )
  }
  return (
    <section className="filter-choice" aria-label={t('by_filter')}>
      <p className="dim">{t('filter_hint')}</p>
      <WhereEditor
        value={value.draft ?? empty}
        onChange={(draft) => onChange({ kind: 'filter', draft, where: whereOf(draft, fields) })}
      />
    </section>
  )
}
