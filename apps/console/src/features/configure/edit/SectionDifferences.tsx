import { useTranslation } from 'react-i18next'
import type { ConfigSection } from '@mdm/contract'
import { differencesOf, linesOf } from '@mdm/contract/config/lines.ts'
import type { Difference } from '@mdm/contract/config/lines.ts'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { Dash } from '../../../ui/value/values.tsx'
import { useValueLabels } from './value-labels.ts'

type Props = { section: ConfigSection; before: unknown; after: unknown; titles?: readonly [string, string] }
/** What is not the same in two values of a section, line by line. */
export function SectionDifferences({ section, before, after, titles }: Props) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const labels = useValueLabels()
  const { fields, title } = sectionOf(section)
  const lines = (value: unknown) => linesOf(fields, value ?? null, labels)
  const differences = differencesOf(lines(before), lines(after))
  if (differences.length === 0) return <p className="dim">{t('version.secrets_only')}</p>
  return (
    <ListTable<Difference>
      aria-label={textOf(title)}
      rowKey="path"
      rows={differences}
      columns={[
        { key: 'label', title: t('column.field'), dataIndex: 'label' },
        { key: 'before', title: titles?.[0] ?? t('column.before'), render: (_, one) => one.before ?? <Dash /> },
        {
          key: 'after',
          title: titles?.[1] ?? t('column.after'),
          render: (_, one) => (one.is_other_secret ? t('draft.other_secret') : (one.after ?? <Dash />)),
        },
      ]}
    />
  )
}
