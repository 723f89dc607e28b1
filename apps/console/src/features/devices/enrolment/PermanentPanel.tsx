import { ArrowLeftOutlined } from '@ant-design/icons'
import { Button, Checkbox, Segmented, Skeleton, Tag } from 'antd'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PermanentQrcode } from '@mdm/contract'
import { api, invalidate, useCall, useWrite } from '../../../core/api.ts'
import { useLive } from '../../../core/live.ts'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import { AddButton } from '../../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Ago, Code, Count, DateTime } from '../../../ui/value/values.tsx'
import { OutOfReach } from './OutOfReach.tsx'
import { QrSheet } from './QrSheet.tsx'

type Props = { group: string; onGroup: (kid: string) => void }
const page_size = 10

/** Codes that register any number of devices: made, shown again, watched and revoked. */
export function PermanentPanel({ group, onGroup }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const [shown, setShown] = useState<string | null>(null)
  const [needs_approval, setApproval] = useState(false)
  const create = useWrite(api.terminalQrcode.qrcode_forever_registered, {
    done: t('permanent.created'),
    onSuccess: ({ kid }) => setShown(kid),
  })
  const onRegistered = useCallback(() => void invalidate('terminal_qrcode'), [])
  useLive('terminal_registered', onRegistered)
  if (shown) return <Shown kid={shown} onBack={() => setShown(null)} />
  return (
    <div className="qr">
      <p className="dim">{t('permanent.hint')}</p>
      <div className="qr-new">
        <label className="qr-group">
          <span>{t('permanent.group')}</span>
          <GroupPicker special={['NO_GROUP']} value={group} onChange={onGroup} />
        </label>
        <AddButton
          loading={create.isPending}
          onClick={() => create.mutate({ terminal_group_kid: group, needs_approval })}
        >
          {t('permanent.create')}
        </AddButton>
      </div>
      <Checkbox checked={needs_approval} onChange={({ target }) => setApproval(target.checked)}>
        {t('permanent.needs_approval')}
      </Checkbox>
      {create.error && <Failure error={create.error} is_line />}
      <Codes onShow={setShown} />
    </div>
  )
}

/** What the group of a code is called. */
function useGroupName() {
  const { t } = useTranslation('device')
  return ({ terminal_group_name }: Pick<PermanentQrcode, 'terminal_group_name'>) =>
    terminal_group_name ?? t('group.none')
}

/** A new code, or one that is there. */
export function useCodeOptions() {
  const { t } = useTranslation('devices/enrolment')
  const nameOf = useGroupName()
  const codes = useCall(api.terminalQrcode.paging, { is_revoked: false, page_size: 200 }).data?.items ?? []
  return [
    { value: '', label: t('gms.code_new') },
    ...codes.map((code) => ({
      value: code.kid,
      label: t('gms.code_of', { group: nameOf(code), count: code.use_count }),
    })),
  ]
}

function Codes({ onShow }: { onShow: (kid: string) => void }) {
  const { t } = useTranslation(['devices/enrolment', 'common'])
  const nameOf = useGroupName()
  const [is_revoked, setRevoked] = useState(false)
  const [page, setPage] = useState(1)
  const [deleting, setDoomed] = useState<PermanentQrcode | null>(null)
  const query = useCall(api.terminalQrcode.paging, { is_revoked, page, page_size }, { keepPrevious: true })
  const columns: Column<PermanentQrcode>[] = [
    {
      key: 'group',
      title: t('permanent.group'),
      render: (_, row) => (
        <span className="qr-name">
          {nameOf(row)} {row.needs_approval && <Tag>{t('permanent.approved_each')}</Tag>}
        </span>
      ),
    },
    {
      key: 'use_count',
      title: t('permanent.uses'),
      align: 'right',
      render: (_, { use_count }) => <Count value={use_count} />,
    },
    {
      key: 'used_at',
      title: t('permanent.last'),
      render: (_, row) =>
        row.used_at ? (
          <span className="qr-last">
            <Ago at={row.used_at} />{' '}
            <span className="dim">
              <Code value={row.sn} />
            </span>
          </span>
        ) : (
          <span className="dim">{t('permanent.never')}</span>
        ),
    },
    ...(is_revoked
      ? [
          {
            key: 'revoked_at',
            title: t('permanent.revoked'),
            render: (_: unknown, row: PermanentQrcode) => <DateTime at={row.revoked_at} />,
          },
        ]
      : []),
  ]
  return (
    <>
      <Segmented<boolean>
        aria-label={t('permanent.filter')}
        value={is_revoked}
        onChange={(value) => {
          setRevoked(value)
          setPage(1)
        }}
        options={[
          { value: false, label: t('permanent.live') },
          { value: true, label: t('permanent.revoked') },
        ]}
      />
      {query.error ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : (
        <ListTable<PermanentQrcode>
          columns={columns}
          rows={query.data?.items ?? []}
          loading={query.isPending}
          locale={{ emptyText: is_revoked ? t('permanent.none_revoked') : t('permanent.none') }}
          page_size={page_size}
          paging={{ page, total: query.data?.total ?? 0, onPage: setPage }}
          nameOf={nameOf}
          rowActions={(row) =>
            is_revoked
              ? []
              : [
                  {
                    text: t('show'),
                    label: t('permanent.show_named', { group: nameOf(row) }),
                    onSelect: () => onShow(row.kid),
                  },
                  {
                    text: t('permanent.revoke'),
                    label: t('permanent.revoke_named', { group: nameOf(row) }),
                    onSelect: () => setDoomed(row),
                  },
                ]
          }
        />
      )}
      {deleting && (
        <ConfirmWrite
          call={api.terminalQrcode.revoke}
          input={{ kid: deleting.kid }}
          done={t('permanent.revoke_done')}
          title={t('permanent.revoke_title')}
          submit={t('permanent.revoke')}
          onClose={() => setDoomed(null)}
        >
          <p>
            <strong>{nameOf(deleting)}</strong>, {t('permanent.uses_count', { count: deleting.use_count })}
          </p>
          <p>{t('permanent.revoke_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

function Shown({ kid, onBack }: { kid: string; onBack: () => void }) {
  const { t } = useTranslation('devices/enrolment')
  const nameOf = useGroupName()
  const query = useCall(api.terminalQrcode.get, { kid })
  const back = (
    <Button icon={<ArrowLeftOutlined aria-hidden />} onClick={onBack}>
      {t('back')}
    </Button>
  )
  if (query.error)
    return (
      <div className="qr">
        <Failure error={query.error} retry={query.refetch} />
        {back}
      </div>
    )
  if (!query.data) return <Skeleton active />
  const { token_url, use_count, created_at, created_by } = query.data
  const group = nameOf(query.data)
  return (
    <div className="qr">
      <OutOfReach address={token_url} />
      <QrSheet
        value={token_url}
        size={320}
        label={t('permanent.label', { group })}
        title={t('permanent.sheet')}
        hint={t('permanent.sheet_hint')}
        facts={
          <>
            <strong>{group}</strong>
            <span>{t('permanent.uses_count', { count: use_count })}</span>
            <span>
              {t('permanent.made')} <DateTime at={created_at} />, {created_by}
            </span>
          </>
        }
        actions={back}
      />
    </div>
  )
}
