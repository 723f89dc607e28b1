import { ArrowLeftOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
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
import { GmsForm } from './GmsForm.tsx'
import { emptyGms } from './gms-draft.ts'
import { KindChooser } from './KindChooser.tsx'
import type { EnrolKind } from './kinds.tsx'
import './register.css'

type Draft = { sn: string; registration_code: string; name: string; terminal_group_kid: string }
const width = 640
const sn = z.string().trim().min(1).max(constants.sn_max)
type Props = { group: string | undefined; onSheet: () => void; onClose: () => void }

/** What is enrolled is asked first. What was typed for one answer is still there after a look at another. */
export function RegisterDrawer({ group = 'NO_GROUP', onSheet, onClose }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const [kind, setKind] = useState<Exclude<EnrolKind, { drawer: 'sheet' }> | null>(null)
  const [draft, setDraft] = useState<Draft>({ sn: '', registration_code: '', name: '', terminal_group_kid: group })
  const [gms, setGms] = useState({
    mdm: emptyGms('mdm', group),
    mdmesh: emptyGms('mdmesh', group),
    headwind: emptyGms('headwind', group),
  })
  const shell = { rootClassName: 'drawer-in-place', className: 'form-drawer', size: width, onClose }
  if (kind === null)
    return (
      <Drawer key="kinds" {...shell} title={t('enrol.title')}>
        <KindChooser onChoose={(chosen) => ('drawer' in chosen ? onSheet() : setKind(chosen))} />
      </Drawer>
    )
  const back = (
    <Button className="kind-back" type="link" icon={<ArrowLeftOutlined aria-hidden />} onClick={() => setKind(null)}>
      {t('enrol.back')}
    </Button>
  )
  const title = t(`kinds.${kind.key}.title`)
  if ('form' in kind) {
    const { form } = kind
    const shared = { title, back, width, onClose }
    if (form === 'code') return <CodeForm {...shared} draft={draft} onDraft={setDraft} />
    return <GmsForm {...shared} draft={gms[form]} onDraft={(next) => setGms({ ...gms, [form]: next })} />
  }
  return (
    <Drawer key={kind.key} {...shell} title={title}>
      {back}
      <kind.panel
        group={draft.terminal_group_kid}
        onGroup={(terminal_group_kid) => setDraft({ ...draft, terminal_group_kid })}
        onClose={onClose}
      />
    </Drawer>
  )
}

type CodeProps = {
  title: string
  back: ReactNode
  width: number
  draft: Draft
  onDraft: (draft: Draft) => void
  onClose: () => void
}
/** By the SN and the code that the device shows. */
function CodeForm({ title, back, width, draft, onDraft, onClose }: CodeProps) {
  const { t } = useTranslation('devices')
  const rules = useAliasRules()
  const input = api.terminal.manual_registered.input
  const register = useWrite(api.terminal.manual_registered, {
    done: t('register.done', { sn: draft.sn.trim() }),
    also: ['terminal_group', 'account'],
  })
  return (
    <FormDrawer<Draft>
      title={title}
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
      {back}
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
