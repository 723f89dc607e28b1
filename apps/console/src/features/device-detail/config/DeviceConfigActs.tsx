import { CopyOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { configSectionKeys, ltscopes } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import type { Effective } from '../../configure/public.ts'
import { CompareDrawer, CopyDrawer } from '../../configure/public.ts'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'

type Props = { kid: string; name: string; current: Partial<Record<ConfigSection, Effective>> }
const dialogs = { copy: 'deviceDetailConfig:edit', compare: 'signed_in' } as const

/** What can be done with the configuration of a device as a whole. */
export function DeviceConfigActs({ kid, name, current }: Props) {
  const { t } = useTranslation('configure/edit')
  const retry = useWrite(api.terminalConfig.retry, { done: t('drift.retried') })
  const dialog = useDialog(dialogs, [])
  const place = { ltscope: ltscopes.terminal, terminal_kid: kid }
  const set = configSectionKeys.filter((section) => current[section]?.levels.at(-1)?.own)
  return (
    <div className="config-tools">
      <Button onClick={() => dialog.open('compare')}>{t('compare.button')}</Button>
      <May needs="deviceDetailConfig:edit">
        {set.length > 0 && (
          <Button icon={<CopyOutlined aria-hidden />} onClick={() => dialog.open('copy')}>
            {t('copy.button')}
          </Button>
        )}
        <Button icon={<ReloadOutlined aria-hidden />} onClick={() => void retry.run({ terminal_kids: [kid] })}>
          {t('drift.retry')}
        </Button>
      </May>
      {dialog.is('compare') && (
        <Suspense>
          <CompareDrawer name={name} current={current} onClose={dialog.close} />
        </Suspense>
      )}
      {dialog.is('copy') && set.length > 0 && (
        <CopyDrawer place={place} name={name} sections={set} onClose={dialog.close} />
      )}
    </div>
  )
}
