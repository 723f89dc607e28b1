import { Form, Input, Radio, Select } from 'antd'
import type { FormRule } from 'antd'
import { useDeferredValue, useRef, useState } from 'react'
import type { ClipboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { composeUid, informationNames, kidOf, reserveCodePattern, splitUid, uid_length } from '@mdm/contract'
import type { Sent, Uid, UidPart } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { api, send, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { notify } from '../../core/notices.ts'
import { pageIcon } from '../../ui/icons.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { zodRules } from '../../ui/form/zod-rules.ts'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { CopyId } from '../../ui/value/values.tsx'
import { PartSelect } from './PartSelect.tsx'
import { partsOf, UidParts, usePartTitle } from './UidParts.tsx'

export type UidDraft = Sent<typeof api.opsUid.insert>
type Props = {
  of?: Uid
  title: string
  submit: string
  loading: boolean
  submitError: CallFailed | null
  onSubmit: (draft: UidDraft) => unknown
  onBack: () => void
}
type Chosen = Partial<Record<UidPart, { code: string; name: string | null }>>
const schema = api.opsUid.insert.input

/** Builds a UID: each choice adds its code, and whether the whole is free is said as soon as it is whole. */
export function UidForm({ of, onSubmit, onBack, ...page }: Props) {
  const { t } = useTranslation('os-uid')
  const titleOf = usePartTitle()
  const [form] = Form.useForm<UidDraft>()
  const [chosen, setChosen] = useState<Chosen>(() => (of ? partsOf(of.parts) : {}))
  const type = Form.useWatch('type', form) ?? of?.type ?? 'standard'
  const pick = (part: UidPart, choice: { code: string; name: string | null } | undefined) =>
    setChosen(({ [part]: _, ...others }) => (choice ? { ...others, [part]: choice } : others))
  const { terminal_count = 0, use_count = 0 } = of ?? {}
  const is_fixed = terminal_count + use_count > 0
  // Whole UIDs come from labels, mails and other systems: pasted into whichever field, one fills in all that it is made of.
  const pasted = useRef('')
  const onPaste = (event: ClipboardEvent) => {
    const uid = event.clipboardData.getData('text')
    if (is_fixed || !splitUid(uid)) return
    event.preventDefault()
    pasted.current = uid
    void send(api.opsUid.explain, { uid: uid.trim() }).then(({ parts }) => {
      // Another was pasted since, whose answer may have come before.
      if (pasted.current !== uid) return
      const known = parts.filter(({ part, kid }) => part === 'reserve_code' || kid !== null)
      form.setFieldsValue(
        Object.fromEntries(
          known.map(({ part, code, kid }) => (part === 'reserve_code' ? [part, code] : [kidOf(part), kid])),
        ) as Partial<UidDraft>,
      )
      setChosen((before) => ({ ...before, ...partsOf(known) }))
      const unknown = parts.filter((one) => !known.includes(one))
      if (unknown.length > 0) {
        const codes = listText(unknown.map(({ part, code }) => `${titleOf(part)} ${code}`))
        notify.info(t('paste_unknown', { codes }))
      }
    }, notify.fail)
  }
  return (
    <FormPage<UidDraft>
      {...page}
      form={form}
      icon={pageIcon('uidList')}
      initial={of ? draftOf(of) : { type: 'standard', display_name: '', reserve_code: '', remark: '' }}
      onSubmit={(draft) =>
        onSubmit(draft.type === 'custom' ? draft : { ...draft, base_uid_kid: null, base_os_version: null })
      }
      onDone={onBack}
      onCancel={onBack}
    >
      <div className="uid-builder">
        <UidParts parts={chosen} unknown={t('no_meaning')} />
        <Whole chosen={chosen} {...(of && { of })} />
      </div>
      <p className="dim uid-hint">
        {is_fixed ? (terminal_count > 0 ? t('fixed', { count: terminal_count }) : t('fixed_used')) : t('paste_hint')}
      </p>
      <div className="uid-fields" onPaste={onPaste}>
        {informationNames.map((part) => (
          <Field key={part} name={kidOf(part)} label={titleOf(part)} rules={zodRules(schema, kidOf(part))}>
            <PartSelect part={part} disabled={is_fixed} chosen={chosen[part]} onPick={(choice) => pick(part, choice)} />
          </Field>
        ))}
        <Field name="reserve_code" label={t('reserve_code')} extra={t('reserve_code_hint')} schema={schema}>
          <Input
            className="code"
            autoComplete="off"
            spellCheck={false}
            maxLength={2}
            disabled={is_fixed}
            onChange={({ target: { value } }) =>
              pick('reserve_code', reserveCodePattern.test(value) ? { code: value, name: null } : undefined)
            }
          />
        </Field>
      </div>
      <Field name="display_name" label={t('display_name')} schema={schema} rules={[useFreeName(of)]}>
        <Input autoComplete="off" />
      </Field>
      <Field name="type" label={t('type.label')} extra={t(`type.${type}_hint`)}>
        <Radio.Group
          disabled={is_fixed}
          options={(['standard', 'custom'] as const).map((value) => ({ value, label: t(`type.${value}`) }))}
        />
      </Field>
      {type === 'custom' && <BaseFields {...(of && { of })} />}
      <Field name="remark" label={t('remark')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormPage>
  )
}

function draftOf({ type, reserve_code, display_name, base_uid_kid, base_os_version, remark, ...row }: Uid): UidDraft {
  const kids = Object.fromEntries(informationNames.map((name) => [kidOf(name), row[kidOf(name)]]))
  return { ...kids, type, reserve_code, display_name, base_uid_kid, base_os_version, remark } as UidDraft
}

/** The code so far, and whether it is free once it is whole. */
function Whole({ chosen, of }: { chosen: Chosen; of?: Uid }) {
  const { t } = useTranslation('os-uid')
  const codes = Object.fromEntries(Object.entries(chosen).map(([part, { code }]) => [part, code]))
  const code = composeUid(codes)
  const is_whole = code.length === uid_length
  const asked = useDeferredValue(code)
  const query = useCall(
    api.opsUid.exists,
    { code: asked, ...(of && { src_kid: of.kid }) },
    { enabled: is_whole && asked === code, fresh: true },
  )
  return (
    <p className="uid-whole" role="status">
      {is_whole ? (
        <>
          <CopyId value={code} />
          {query.data && code !== of?.code && (
            <StateBadge tone={query.data.exists ? 'bad' : 'good'}>{t(query.data.exists ? 'taken' : 'free')}</StateBadge>
          )}
        </>
      ) : (
        <span className="dim">{t('so_far', { count: code.length, of: uid_length })}</span>
      )}
    </p>
  )
}

function BaseFields({ of }: { of?: Uid }) {
  const { t } = useTranslation('os-uid')
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.opsUid.paging,
    { type: 'standard', page_size: 50, ...(text && { text }) },
    { keepPrevious: true },
  )
  const bases = (query.data?.items ?? []).filter(({ kid }) => kid !== of?.kid)
  const found = bases.map(({ kid, code, display_name }) => ({ value: kid, label: `${code} · ${display_name}` }))
  const own = of?.base_uid_kid
  const known = own ? [{ value: own, label: of.base_uid_code ?? own }] : []
  const needed = (name: 'base_uid_kid' | 'base_os_version'): FormRule[] => [
    { required: true, message: t('base_needed') },
    ...zodRules(schema, name),
  ]
  return (
    <>
      <Field name="base_uid_kid" label={t('base_uid')} extra={t('base_uid_hint')} rules={needed('base_uid_kid')}>
        <Select
          {...searchSelect(typed, query, found, known)}
          placeholder={t('choose')}
          notFoundContent={t('none_found')}
        />
      </Field>
      <Field
        name="base_os_version"
        label={t('base_os_version')}
        extra={t('base_os_version_hint')}
        rules={needed('base_os_version')}
      >
        <Input className="code" autoComplete="off" spellCheck={false} maxLength={35} />
      </Field>
    </>
  )
}

function useFreeName(of: Uid | undefined): FormRule {
  const { t } = useTranslation('os-uid')
  return {
    validator: async (_rule, value: unknown) => {
      if (typeof value !== 'string' || !value.trim() || value === of?.display_name) return
      const question = { display_name: value.trim(), ...(of && { src_kid: of.kid }) }
      // What cannot be asked now is said when the form is sent.
      const found = await send(api.opsUid.exists, question).catch(() => undefined)
      if (found?.exists) throw new Error(t('name_taken'))
    },
  }
}
