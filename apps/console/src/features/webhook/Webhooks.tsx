import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { constants } from '@mdm/contract'
import type { Webhook } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { matches } from '../../shared/groups/group-tree.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { useOpened } from '../../ui/dialog/use-opened.ts'
import { useMay } from '../../core/session.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { DeleteDialog, RenewDialog } from './acts.tsx'
import { useWebhookColumns } from './columns.tsx'
import type { Wanted } from './columns.tsx'
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
  const { t } = useTranslation('webhook')
  const { calls, id, page, edit } = webhookSides[side]
  const may_edit = useMay(edit)
  const [, setSearch] = useSearchParams()
  const { opened, linkTo } = useOpened('webhook')
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [is_adding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const query = useCall(calls.list, {}, { refetchMs: refetch_ms })
  const webhooks = query.data ?? []
  const columns = useWebhookColumns({ side, linkTo, onWant: setWanted })
  const open = webhooks.find(({ kid }) => kid === opened)
  const close = () => setWanted(null)
  // The rest of the address is the list of deliveries, which goes with its drawer.
  const closeDeliveries = () =>
    setSearch((before): Record<string, string> => {
      const text = before.get('text')
      return text ? { text } : {}
    })
  const full =
    webhooks.length >= constants.webhooks_max ? t('why_not.full', { max: constants.webhooks_max }) : undefined
  const add = may_edit && (
    <DisabledReason because={full}>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding(true)}>
        {t('add')}
      </Button>
    </DisabledReason>
  )
  return (
    <>
      <TreePage<Webhook>
        id={id}
        title={t(`title.${side}`)}
        icon={pageIcon(page)}
        call={calls.list}
        query={query}
        nodes={webhooks}
        columns={columns}
        search={t('search')}
        isMatch={({ name, url }, text) => matches(name, text) || matches(url, text)}
        primary={add}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        note={t(`note.${side}`)}
      />
      {open && <Deliveries key={open.kid} side={side} webhook={open} onClose={closeDeliveries} />}
      {is_adding && <WebhookForm side={side} onMade={setSecret} onClose={() => setAdding(false)} />}
      {wanted?.what === 'edit' && <WebhookForm side={side} of={wanted.row} onMade={setSecret} onClose={close} />}
      {wanted?.what === 'renew' && <RenewDialog side={side} webhook={wanted.row} onMade={setSecret} onClose={close} />}
      {wanted?.what === 'delete' && <DeleteDialog side={side} webhook={wanted.row} onClose={close} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}
