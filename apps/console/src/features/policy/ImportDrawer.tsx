import { Segmented } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { policySources } from '@mdm/contract'
import type { Policy, PolicySource } from '@mdm/contract'
import { BulkDrawer } from '../../shared/device-batch/BulkDrawer.tsx'
import { importsOf } from '../../shared/device-batch/sides.ts'

/** Rows of a sheet, or of the manufacturing execution system, onto a policy. */
export function ImportDrawer({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const { t } = useTranslation('device-batch')
  const [source, setSource] = useState<PolicySource>('sheet')
  const side = useMemo(() => importsOf(policy, source), [policy, source])
  return (
    <BulkDrawer side={side} title={t('import.title', { name: policy.name })} onClose={onClose}>
      <Segmented<PolicySource>
        block
        className="bulk-source"
        aria-label={t('import.source')}
        value={source}
        onChange={setSource}
        options={policySources.map((value) => ({ value, label: t(`import.${value}`) }))}
      />
    </BulkDrawer>
  )
}
