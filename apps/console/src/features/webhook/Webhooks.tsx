import { HistoryOutlined, SendOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { constants } from '@mdm/contract'
import type { Webhook } from '@mdm/contract'
import { useSearch, withParams } from '../../core/address.ts'
import { useCall, useWrite } from '../../core/api.ts'
import { matches } from '../../shared/groups/group-tree.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { useOpened } from '../../ui/dialog/use-opened.ts'
import { useMay } from '../../core/session.tsx'
import { useWebhookColumns } from './columns.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { RenewDialog } from './RenewDialog.tsx'
import { Deliveries } from './Deliveries.tsx'
import { SecretDialog } from './SecretDialog.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'
import { WebhookForm } from './WebhookForm.tsx'
import './webhook.css'

/** How soon the list shows what became of the last delivery. */
const refetch_ms = 15_000

/** Addresses that are told what happens. The customer's and the provider's screen are this one. */
export function Webhooks({ side }: { side: WebhookSide }) {
  const { t } = useTranslation(['webhook', 'common'])
  const navigate = useNavigate()
  const { calls, id, page, edit } = webhookSides[side]
  const may_edit = useMay(edit)
  const [, setSearch] = useSearch()
  const { opened, linkTo } = useOpened('webhook')
  const [secret, setSecret] = useState<string | null>(null)
  const query = useCall(calls.list, {}, { refetchMs: refetch_ms })
  const webhooks = query.data ?? []
  const columns = useWebhookColumns(linkTo)
  const dialog = useDialog({ add: edit, edit, renew: edit, delete: edit }, webhooks)
  const [editing, renewing, deleting] = [dialog.of('edit'), dialog.of('renew'), dialog.of('delete')]
  const ping = useWrite(calls.ping, { done: t('pinged') })
  const tryIt = async (kid: string) => {
    if (await ping.run({ kid })) void navigate(linkTo(kid))
  }
  const rowActions = (row: Webhook): RowAction[] => [
    {
      needs: edit,
      icon: <SendOutlined aria-hidden />,
      text: t('ping'),
      label: t('ping_of', { name: row.name }),
      loading: ping.isPending && ping.variables.kid === row.kid,
      onSelect: () => void tryIt(row.kid),
    },
    {
      icon: <HistoryOutlined aria-hidden />,
      label: t('deliveries.of', { name: row.name }),
      hint: t('deliveries.title'),
      to: linkTo(row.kid),
    },
    { needs: edit, label: t('common:edit'), onSelect: () => dialog.open('edit', row) },
    { needs: edit, label: t('renew.action'), onSelect: () => dialog.open('renew', row) },
    { needs: edit, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', row) },
  ]
  const open = webhooks.find(({ kid }) => kid === opened)
  // The rest of the address is the list of deliveries, which goes with its drawer.
  const closeDeliveries = () => setSearch((before) => withParams(new URLSearchParams(), { text: before.get('text') }))
  const full =
    webhooks.length >= constants.webhooks_max ? t('why_not.full', { max: constants.webhooks_max }) : undefined
  const add = may_edit && (
    <DisabledReason disabled_reason={full}>
      <AddButton onClick={() => dialog.open('add')}>{t('add')}</AddButton>
    </DisabledReason>
  )
  return (
    <>
      <TreePage<Webhook>
        id={id}
        page={page}
        call={calls.list}
        query={query}
        nodes={webhooks}
        columns={columns}
        rowActions={rowActions}
        nameOf={({ name }) => name}
        search={t('search')}
        isMatch={({ name, url }, text) => matches(name, text) || matches(url, text)}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        note={t(`note.${side}`)}
      />
      {open && <Deliveries key={open.kid} side={side} webhook={open} onClose={closeDeliveries} />}
      {dialog.is('add') && <WebhookForm side={side} onMade={setSecret} onClose={dialog.close} />}
      {editing && <WebhookForm side={side} of={editing} onMade={setSecret} onClose={dialog.close} />}
      {renewing && <RenewDialog side={side} webhook={renewing} onMade={setSecret} onClose={dialog.close} />}
      {deleting && (
        <ConfirmWrite
          call={calls.delete}
          input={{ kid: deleting.kid }}
          title={t('delete.title', { name: deleting.name })}
          submit={t('delete.submit')}
          done={t('delete.done', { name: deleting.name })}
          onClose={dialog.close}
        >
          <p>{t('delete.what', { url: deleting.url })}</p>
        </ConfirmWrite>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}
