import { useTranslation } from 'react-i18next'
import { CommandDialog } from '../../../shared/device/commands/CommandDialog.tsx'
import { usePushRowActions, usePushStateFilter } from '../../push-task/public.ts'
import type { Target } from '../../../shared/device/targets.tsx'
import { AddButton } from '../../../ui/list/AddButton.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { useDevice } from '../use-device.ts'
import { useDevicePushes, usePushColumns } from './use-device-pushes.tsx'

export default function PushMessagePage() {
  const { t } = useTranslation('device-detail')
  const { kid, device } = useDevice()
  const dialog = useDialog({ new_message: 'deviceDetailPushMessage:push' }, [])
  const { list, open, drawer } = useDevicePushes(kid, ['message'])
  const state_filter = usePushStateFilter('message')
  const columns = usePushColumns(
    { summary: t('message.subject'), created_at: t('message.sent_at'), with_type: false },
    open,
  )
  const write = (
    <AddButton needs="deviceDetailPushMessage:push" onClick={() => dialog.open('new_message')}>
      {t('message.new')}
    </AddButton>
  )
  // Who may not read the device can still write to it; only its name is not known here then.
  const target: Target = device ?? { kid, sn: kid, name: '', is_online: true, agent_kind: 'mdm', task_types: null }
  return (
    <>
      <ListPage
        is_part
        list={list}
        title={t('message.title')}
        columns={columns}
        rowActions={usePushRowActions()}
        filters={[state_filter]}
        primary={write}
        empty={{ title: t('message.empty'), hint: t('message.empty_hint'), action: write }}
        onRow={(row) => open(row.kid)}
      />
      {drawer}
      {dialog.is('new_message') && <CommandDialog command="message" targets={[target]} onClose={dialog.close} />}
    </>
  )
}
