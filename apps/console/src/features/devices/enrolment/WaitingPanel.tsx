import { Segmented, Tag } from 'antd'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WaitingDevice } from '@mdm/contract'
import { api, invalidate, useCall, useWrite } from '../../../core/api.ts'
import { useLive } from '../../../core/live.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { Ago, Code } from '../../../ui/value/values.tsx'

const page_size = 10
const nameOf = ({ identity, sn }: WaitingDevice): string => identity || sn
/** Enough of it to compare with what a device says of its key. */
const shown_of_key = 16

/** Devices that ask to be let in by codes that need approval. */
export function WaitingPanel() {
  const { t } = useTranslation('devices/enrolment')
  const [is_refused, setRefused] = useState(false)
  const [page, setPage] = useState(1)
  const [unwanted, setUnwanted] = useState<WaitingDevice | null>(null)
  const query = useCall(api.terminalQrcode.paging_waiting, { is_refused, page, page_size }, { keepPrevious: true })
  const accept = useWrite(api.terminalQrcode.accept_waiting, {
    done: ({ sn }) => t('waiting.accepted', { sn }),
    also: ['terminal', 'terminal_group', 'account'],
  })
  const onAsked = useCallback(() => void invalidate('terminal_qrcode'), [])
  useLive('terminal_list_changed', onAsked)
  const columns: Column<WaitingDevice>[] = [
    {
      key: 'device',
      title: t('waiting.device'),
      render: (_, row) => (
        <span className="qr-name">
          {nameOf(row)} {row.is_known && <Tag color="warning">{t('waiting.known')}</Tag>}
          <span className="dim">
            <Code value={row.sn} />
          </span>
          <span className="dim">{t('waiting.key', { key: row.key_sha256.slice(0, shown_of_key) })}</span>
        </span>
      ),
    },
    { key: 'address', title: t('waiting.address'), render: (_, { address }) => <Code value={address} /> },
    { key: 'announced_at', title: t('waiting.asked'), render: (_, row) => <Ago at={row.announced_at} /> },
  ]
  return (
    <div className="qr">
      <p className="dim">{t('waiting.hint')}</p>
      <Segmented<boolean>
        aria-label={t('waiting.filter')}
        value={is_refused}
        onChange={(value) => {
          setRefused(value)
          setPage(1)
        }}
        options={[
          { value: false, label: t('waiting.open') },
          { value: true, label: t('waiting.refused') },
        ]}
      />
      {accept.error && <Failure error={accept.error} is_line />}
      {query.error ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : (
        <ListTable<WaitingDevice>
          columns={columns}
          rows={query.data?.items ?? []}
          loading={query.isPending}
          locale={{ emptyText: is_refused ? t('waiting.none_refused') : t('waiting.none') }}
          page_size={page_size}
          paging={{ page, total: query.data?.total ?? 0, onPage: setPage }}
          nameOf={nameOf}
          rowActions={(row) => [
            {
              text: t('waiting.accept'),
              label: t('waiting.accept_named', { name: nameOf(row) }),
              onSelect: () => accept.mutate({ kid: row.kid }),
            },
            ...(is_refused
              ? []
              : [
                  {
                    text: t('waiting.refuse'),
                    label: t('waiting.refuse_named', { name: nameOf(row) }),
                    onSelect: () => setUnwanted(row),
                  },
                ]),
          ]}
        />
      )}
      {unwanted && (
        <ConfirmWrite
          call={api.terminalQrcode.reject_waiting}
          input={{ kid: unwanted.kid }}
          done={t('waiting.refuse_done')}
          title={t('waiting.refuse_named', { name: nameOf(unwanted) })}
          submit={t('waiting.refuse')}
          onClose={() => setUnwanted(null)}
        >
          <p>{t('waiting.refuse_text')}</p>
        </ConfirmWrite>
      )}
    </div>
  )
}
