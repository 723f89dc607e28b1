import { Button } from 'antd'
import type { Column } from '../../ui/list/ListPage.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { useQuestion } from '../../ui/dialog/question.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { Ago, DateTime, OrDash, Since } from '../../ui/value/values.tsx'
import { Part } from './Part.tsx'

type Row = Out<typeof api.account.list_session>[number]

/** Where the person is signed in now. */
export function Sessions() {
  const { t } = useTranslation(['account-info', 'common'])
  const ask = useQuestion((s) => s.ask)
  const query = useCall(api.account.list_session, {}, { refetchMs: 30_000 })
  const end = useWrite(api.account.end_session, { done: t('sessions.ended') })
  const endOthers = useWrite(api.account.end_other_sessions, { done: t('sessions.others_ended') })
  const others = query.data?.filter((row) => !row.is_current).length ?? 0
  const askToEndOthers = async () => {
    const question = {
      title: t('sessions.ask', { count: others }),
      text: t('sessions.ask_text'),
      yes: t('sessions.end_others'),
      no: t('common:cancel'),
      is_danger: true,
    }
    if (await ask(question)) await endOthers.run({})
  }
  const columns: Column<Row>[] = [
    {
      key: 'browser',
      title: t('sessions.browser'),
      render: (_, row) => (
        <span className="own-session">
          <OrDash>{[row.browser, row.os].filter(Boolean).join(' · ')}</OrDash>
          {row.is_current && <StateBadge tone="accent">{t('sessions.current')}</StateBadge>}
        </span>
      ),
    },
    { key: 'address', title: t('sessions.address'), render: (_, row) => <code>{row.address}</code> },
    { key: 'last_use_at', title: t('sessions.last_use'), render: (_, row) => <Ago at={row.last_use_at} /> },
    { key: 'created_at', title: t('sessions.since'), render: (_, row) => <Since at={row.created_at} /> },
    { key: 'expires_at', title: t('sessions.expires'), render: (_, row) => <DateTime at={row.expires_at} /> },
  ]
  return (
    <Part
      title={t('part.sessions')}
      hint={t('sessions.hint')}
      actions={
        others > 0 && (
          <Button loading={endOthers.isPending} onClick={() => void askToEndOthers()}>
            {t('sessions.end_others')}
          </Button>
        )
      }
    >
      {query.error ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : (
        <ListTable<Row>
          columns={columns}
          rows={query.data ?? []}
          loading={query.isPending}
          nameOf={(row) => row.browser ?? row.address}
          rowActions={(row) =>
            row.is_current
              ? []
              : [
                  {
                    text: t('sessions.end'),
                    label: t('sessions.end_named', { browser: row.browser ?? row.address }),
                    loading: end.isPending && end.variables.kid === row.kid,
                    onSelect: () => void end.run({ kid: row.kid }),
                  },
                ]
          }
        />
      )}
    </Part>
  )
}
