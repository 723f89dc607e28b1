import { Input, Segmented } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { constants } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { useAliasRules } from '../../../shared/device/device-dialogs.tsx'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { useMay } from '../../../core/session.tsx'
import { GmsForm } from './GmsForm.tsx'
import { emptyGms } from './gms-draft.ts'
import { PermanentPanel } from './PermanentPanel.tsx'
import { QrPanel } from './QrPanel.tsx'
import './register.css'

type Draft = { sn: string; registration_code: string; name: string; terminal_group_kid: string }
type Way = 'code' | 'qr' | 'permanent' | 'gms'
const width = 640
const sn = z.string().trim().min(1).max(constants.sn_max)

/** The ways to register. What was typed in one is still there after a look at another. */
export function RegisterDrawer({ group = 'NO_GROUP', onClose }: { group: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const may_keep = useMay('deviceList:qrcode')
  const [way, setWay] = useState<Way>('code')
  const [draft, setDraft] = useState<Draft>({ sn: '', registration_code: '', name: '', terminal_group_kid: group })
  const [gms, setGms] = useState(() => emptyGms(group))
  const ways = (
    <Segmented<Way>
      block
      className="register-way"
      aria-label={t('register.way')}
      value={way}
      onChange={setWay}
      options={[
        { value: 'code', label: t('register.by_code') },
        { value: 'qr', label: t('register.by_qr') },
        ...(may_keep
          ? [
              { value: 'permanent' as const, label: t('register.by_permanent') },
              { value: 'gms' as const, label: t('register.by_gms') },
            ]
          : []),
      ]}
    />
  )
  const target = {
    group: draft.terminal_group_kid,
    onGroup: (terminal_group_kid: string) => setDraft({ ...draft, terminal_group_kid }),
  }
  if (way === 'gms') return <GmsForm ways={ways} width={width} draft={gms} onDraft={setGms} onClose={onClose} />
  if (way === 'code') return <CodeForm ways={ways} draft={draft} onDraft={setDraft} onClose={onClose} />
  return (
    <Drawer
      rootClassName="drawer-in-place"
      className="form-drawer"
      size={width}
      title={t('register.title')}
      onClose={onClose}
    >
      {ways}
      {way === 'qr' ? <QrPanel {...target} onOpened={onClose} /> : <PermanentPanel {...target} />}
    </Drawer>
  )
}

type CodeProps = { ways: ReactNode; draft: Draft; onDraft: (draft: Draft) => void; onClose: () => void }
/** By the SN and the code that the device shows. */
function CodeForm({ ways, draft, onDraft, onClose }: CodeProps) {
  const { t } = useTranslation('devices')
  const rules = useAliasRules()
  const input = api.terminal.manual_registered.input
  const register = useWrite(api.terminal.manual_registered, {
    done: t('register.done', { sn: draft.sn.trim() }),
    also: ['terminal_group', 'account'],
  })
  return (
    <FormDrawer<Draft>
      title={t('register.title')}
      submit={t('register.submit')}
      width={width}
      initial={draft}
      onValues={onDraft}
      loading={register.isPending}
      submitError={register.error}
      onSubmit={({ name, ...values }) => register.mutateAsync({ ...values, ...(name?.trim() && { name }) })}
      onDone={onClose}
      onClose={onClose}
    >
      {ways}
      <p className="dim register-hint">{t('register.code_hint')}</p>
      <Field name="sn" label={t('register.sn')} rules={zodRules(sn)}>
        <Input autoFocus autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="registration_code" label={t('register.code')} schema={input}>
        <Input className="register-code" autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="name" label={t('register.alias')} extra={t('register.alias_hint')} rules={rules}>
        <Input autoComplete="off" />
      </Field>
      <Field name="terminal_group_kid" label={t('register.group')}>
        <GroupPicker special={['NO_GROUP']} />
      </Field>
    </FormDrawer>
  )
}
