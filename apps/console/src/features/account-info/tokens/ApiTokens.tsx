import { ApiOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { AddButton } from '../../../ui/list/AddButton.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { listText } from '../../../i18n/list-text.ts'
import { useTranslation } from 'react-i18next'
import { constants, elementsOf } from '@mdm/contract'
import type { ApiToken } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago, DateTime, useNow } from '../../../ui/value/values.tsx'
import { NewToken } from './NewToken.tsx'
import { Part } from '../Part.tsx'
import { TokenDrawer } from './TokenDrawer.tsx'

/** What scripts of the person sign in with. */
export function ApiTokens() {
  const { t } = useTranslation(['account-info', 'common'])
  const ask = useQuestion((s) => s.ask)
  const now = useNow()
  const dialog = useDialog({ token: 'signed_in' }, [])
  const [made, setMade] = useState<string | null>(null)
  const query = useCall(api.apiToken.list, {})
  const revoke = useWrite(api.apiToken.delete, { done: t('tokens.revoked') })
  const is_full = (query.data?.length ?? 0) >= constants.api_tokens_max
  const askToRevoke = async ({ kid, name }: ApiToken) => {
    const question = {
      title: t('tokens.ask', { name }),
      text: t('tokens.ask_text'),
      yes: t('tokens.revoke'),
      no: t('common:cancel'),
      is_danger: true,
    }
    if (await ask(question)) await revoke.run({ kid })
  }
  const columns: Column<ApiToken>[] = [
    {
      key: 'name',
      title: t('common:name'),
      render: (_, row) => (
        <span className="own-token">
          {row.name}
          <code className="dim">{row.prefix}…</code>
        </span>
      ),
    },
    {
      key: 'permissions',
      title: t('tokens.permissions'),
      render: (_, row) => (
        <span className="own-token" title={listText(row.permissions)}>
          {row.permissions.includes('*')
            ? t('tokens.everything')
            : t('tokens.count', { count: elementsOf(row.permissions).length })}
          {row.may_destroy && <StateBadge tone="warn">{t('tokens.may_destroy_short')}</StateBadge>}
        </span>
      ),
    },
    { key: 'created_at', title: t('common:created_at'), render: (_, row) => <DateTime at={row.created_at} /> },
    {
      key: 'expires_at',
      title: t('tokens.expires'),
      render: (_, row) =>
        Date.parse(row.expires_at) <= now ? (
          <StateBadge tone="bad">{t('tokens.expired')}</StateBadge>
        ) : (
          <DateTime at={row.expires_at} />
        ),
    },
    {
      key: 'last_use_at',
      title: t('tokens.last_use'),
      render: (_, row) =>
        row.last_use_at ? (
          <span className="own-token">
            <Ago at={row.last_use_at} />
            {row.last_address && <code className="dim">{row.last_address}</code>}
          </span>
        ) : (
          <span className="dim">{t('tokens.never')}</span>
        ),
    },
  ]
  const create = (
    <DisabledReason disabled_reason={is_full ? t('tokens.full', { max: constants.api_tokens_max }) : undefined}>
      <AddButton onClick={() => dialog.open('token')}>{t('tokens.create')}</AddButton>
    </DisabledReason>
  )
  return (
    <Part title={t('part.tokens')} hint={t('tokens.hint')} actions={create}>
      {query.error ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : query.data?.length === 0 ? (
        <div className="own-empty">
          <ApiOutlined aria-hidden />
          <p>{t('tokens.none')}</p>
        </div>
      ) : (
        <ListTable<ApiToken>
          columns={columns}
          rows={query.data ?? []}
          loading={query.isPending}
          nameOf={({ name }) => name}
          rowActions={(row) => [
            {
              text: t('tokens.revoke'),
              label: t('tokens.revoke_named', { name: row.name }),
              loading: revoke.isPending && revoke.variables.kid === row.kid,
              onSelect: () => void askToRevoke(row),
            },
          ]}
        />
      )}
      {dialog.is('token') && !is_full && <TokenDrawer onMade={setMade} onClose={dialog.close} />}
      {made && <NewToken token={made} onClose={() => setMade(null)} />}
    </Part>
  )
}
