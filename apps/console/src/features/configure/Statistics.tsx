import { Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { configTypes, groupValues } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useTypeName } from './edit/type-name.ts'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'
import { Properties } from '../../ui/DetailPage.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'

const types = [configTypes.os, configTypes.event] as const
const counted = ['total', 'not_configured', 'modify', 'modified', 'failed', 'not_supported'] as const

/** How far the devices of a group are with a kind of configuration. */
export function Statistics() {
  const { t } = useTranslation('configure/edit')
  const typeName = useTypeName()
  const count = useCount()
  const [group, setGroup] = useState<string>(groupValues.all)
  const [type, setType] = useState<number>(configTypes.os)
  const query = useCall(api.terminalConfig.get_statistical_result, { terminal_group_kid: group, type })
  return (
    <section aria-label={t('tab.statistics')} className="config-statistics">
      <div className="config-tools">
        <span className="config-level-choice">
          <GroupPicker special={['ALL', 'NO_GROUP']} value={group} onChange={setGroup} />
        </span>
        <Segmented<number>
          aria-label={t('column.type')}
          value={type}
          onChange={setType}
          options={types.map((value) => ({ value, label: typeName(value) }))}
        />
      </div>
      {query.isPending && <Skeleton active title={false} paragraph={{ rows: 4 }} />}
      {query.error && <Failure error={query.error} retry={query.refetch} />}
      {query.data && (
        <Properties of={counted.map((name) => ({ label: t(`statistics.${name}`), value: count(query.data[name]) }))} />
      )}
    </section>
  )
}
