import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Passkey } from '@mdm/contract'
import { api, send, useCall, useWrite } from '../../../core/api.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { canUsePasskeys, makePasskey } from '../../../core/passkey.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago, DateTime } from '../../../ui/value/values.tsx'
import { Part } from '../Part.tsx'

/** What signs in without a name and a password, each with the name that it was given. */
export function Passkeys() {
  const { t } = useTranslation('account-info')
  const dialog = useDialog({ passkey: 'signed_in' }, [])
  const rows = useCall(api.account.list_passkey, {}).data ?? []
  const host = useCall(api.login.options, {}).data?.passkeys
  const can_add = canUsePasskeys(host)
  // Where the server allows none there is nothing to be said.
  if (!host && rows.length === 0) return null
  return (
    <Part
      title={t('passkeys.title')}
      hint={t(can_add ? 'passkeys.hint' : 'passkeys.unknown')}
      state={
        <StateBadge tone={rows.length > 0 ? 'good' : 'quiet'}>
          {rows.length > 0 ? t('passkeys.count', { count: rows.length }) : t('passkeys.none')}
        </StateBadge>
      }
      actions={
        can_add && (
          <Button icon={<PlusOutlined aria-hidden />} onClick={() => dialog.open('passkey')}>
            {t('passkeys.add')}
          </Button>
        )
      }
    >
      {rows.length > 0 && (
        <ul className="own-passkeys">
          {rows.map((row) => (
            <Row key={row.kid} row={row} />
          ))}
        </ul>
      )}
      {dialog.is('passkey') && <AddDrawer onClose={dialog.close} />}
    </Part>
  )
}

function Row({ row: { kid, name, is_synced, created_at, last_use_at } }: { row: Passkey }) {
  const { t } = useTranslation(['account-info', 'common'])
  const ask = useQuestion((s) => s.ask)
  const remove = useWrite(api.account.passkey_remove, { done: t('passkeys.removed', { name }) })
  const askToRemove = async () => {
    const question = {
      title: t('passkeys.ask', { name }),
      text: t('passkeys.ask_text'),
      yes: t('passkeys.remove'),
      no: t('common:cancel'),
      is_danger: true,
    }
    if (await ask(question)) await remove.run({ kid })
  }
  return (
    <li>
      <span className="own-passkey">
        <strong>{name}</strong>
        {is_synced && <StateBadge tone="quiet">{t('passkeys.synced')}</StateBadge>}
      </span>
      <span className="dim">
        {t('passkeys.added_at')} <DateTime at={created_at} />
        {' · '}
        {last_use_at ? (
          <>
            {t('passkeys.used')} <Ago at={last_use_at} />
          </>
        ) : (
          t('passkeys.unused')
        )}
      </span>
      <Button
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('passkeys.remove_of', { name })}
        loading={remove.isPending}
        onClick={() => void askToRemove()}
      >
        {t('passkeys.remove')}
      </Button>
    </li>
  )
}

function AddDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('account-info')
  const [is_busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<CallFailed | null>(null)
  const add = useWrite(api.account.passkey_add, { done: t('passkeys.added') })
  const submit = async ({ name }: { name: string }) => {
    setBusy(true)
    setFailure(null)
    try {
      const { options } = await send(api.account.passkey_begin, {})
      await add.mutateAsync({ name, answer: await makePasskey(options) })
    } catch (error) {
      if (error instanceof CallFailed) setFailure(error)
      throw error
    } finally {
      setBusy(false)
    }
  }
  return (
    <FormDrawer<{ name: string }>
      title={t('passkeys.add')}
      submit={t('passkeys.go_on')}
      initial={{ name: '' }}
      loading={is_busy}
      submitError={failure}
      onSubmit={submit}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{t('passkeys.add_text')}</p>
      <Field
        name="name"
        label={t('passkeys.name')}
        extra={t('passkeys.name_hint')}
        schema={api.account.passkey_add.input}
        rules={[{ required: true, whitespace: true, message: t('passkeys.name_needed') }]}
      >
        <Input autoFocus autoComplete="off" />
      </Field>
    </FormDrawer>
  )
}
