import { InfoCircleOutlined, SaveOutlined, WarningOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { constants, deadlineSeconds, hasToWait, pushKindOf, pushLimits, pushTitles } from '@mdm/contract'
import type { PlannedPush } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { May, useMay, useSession, useZone } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { listText } from '../../../i18n/list-text.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { Bytes } from '../../../ui/value/values.tsx'
import { useConditionLabels } from '../../../shared/device-filters/conditions/condition-labels.tsx'
import type { ChosenDevices } from '../../../shared/devices-picker/chosen.ts'
import { find as findGroup } from '../../../shared/groups/group-tree.ts'
import { useGroups } from '../../../shared/groups/GroupPicker.tsx'
import { useMoment } from '../task/moment.ts'
import { conditionsOf, rolloutOf, valuesOf, workOf } from './draft.ts'
import type { Checked, Draft } from './draft.ts'
import { entryName, useFilesOf } from './FilesChoice.tsx'
import { kindOf } from './kinds.tsx'
import { PreviewDrawer } from './PreviewDrawer.tsx'
import { sentenceOf } from './sentence.ts'

type Props = {
  draft: Draft
  /** The push that is changed; undefined where one is made. */
  planned: PlannedPush | undefined
  checked: Checked
  typed: string
  onTyped: (typed: string) => void
}
/** What will happen to how many devices, before it does; it changes with what is chosen below. */
export function Outcome({ draft, planned, checked }: Pick<Props, 'draft' | 'planned' | 'checked'>) {
  const { t } = useTranslation(['push-task/wizard', 'device'])
  const language = useSessionStore((s) => s.language)
  const zone = useZone()
  return (
    <>
      <p className="push-sentence" aria-live="polite" data-danger={pushKindOf(draft.type).is_delayed}>
        {sentenceOf(draft, checked, { t: t as never, language, zone })}
      </p>
      <Notes draft={draft} planned={planned} checked={checked} />
    </>
  )
}

/** What was chosen in the steps before, and the word that a destructive push asks for. */
export function Review({ draft, checked, typed, onTyped }: Omit<Props, 'planned'>) {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  const word_id = useId()
  const [is_saving, setSaving] = useState(false)
  const { confirm_word: word } = kindOf(draft.type)
  return (
    <div className="push-review">
      <Details draft={draft} checked={checked} />
      {word && (
        <label className="type-word push-narrow">
          <span id={word_id}>{t('common:type_word', { word })}</span>
          <Input autoComplete="off" value={typed} onChange={(event) => onTyped(event.target.value)} />
        </label>
      )}
      <May needs="pushTaskList:template">
        <p>
          <Button icon={<SaveOutlined aria-hidden />} onClick={() => setSaving(true)}>
            {t('template.save')}
          </Button>
        </p>
      </May>
      {is_saving && <TemplateDrawer draft={draft} onClose={() => setSaving(false)} />}
    </div>
  )
}

const Note = ({ children, is_warning }: { children: ReactNode; is_warning?: boolean }) => (
  <li data-tone={is_warning ? 'warn' : 'quiet'}>
    {is_warning ? <WarningOutlined aria-hidden /> : <InfoCircleOutlined aria-hidden />}
    <span>{children}</span>
  </li>
)

/** What a person should know before: who has to agree, when it begins, and what becomes of devices that are offline. */
function Notes({ draft, planned, checked }: Pick<Props, 'draft' | 'planned' | 'checked'>) {
  const { t } = useTranslation('push-task/wizard')
  const may_list = useMay('pushTaskList')
  const may_task = useMay('deviceDetailTask')
  const setting = useCall(api.pushTask.get_setting, {}, { enabled: may_list || may_task })
  const { total } = checked
  const moment = useMoment()
  const from = setting.data?.approval_from ?? null
  const held = setting.data?.held
  const is_asked = from !== null && total >= from
  const is_held = !is_asked && held !== undefined && held !== null && total >= held.approval_from
  const { is_delayed, is_destructive } = pushKindOf(draft.type)
  const takes_later = rolloutOf(draft)?.takes_later === true
  const is_many = total >= constants.password_from_devices || takes_later
  const days = hasToWait(conditionsOf(draft) ?? {}) ? pushLimits.waiting_days : deadlineSeconds.wait_receipt / 86_400
  const is_recurring = draft.start === 'recurring'
  return (
    <ul className="push-notes">
      {planned?.is_approved && <Note is_warning>{t('edit.approval_again', { name: planned.decided_by })}</Note>}
      {planned && !planned.is_own && <Note>{t('edit.becomes_yours', { name: planned.created_by })}</Note>}
      {planned?.has_secret && <Note>{t('edit.password_stays')}</Note>}
      {is_asked && (
        <Note is_warning>{t(is_recurring ? 'review.approval_each' : 'review.approval', { count: from })}</Note>
      )}
      {is_held && (
        <Note is_warning>{t('review.approval_held', { count: held.approval_from, at: moment(held.until) })}</Note>
      )}
      {!is_asked && !is_held && takes_later && (from !== null || held) && (
        <Note is_warning>{t('review.approval_later')}</Note>
      )}
      {is_delayed && is_many && draft.start === 'now' && (
        <Note is_warning>{t('review.delayed', { seconds: constants.scrap_delay_seconds })}</Note>
      )}
      {is_destructive && (is_many || is_recurring) && <Note>{t('review.password')}</Note>}
      {is_recurring && <Note>{t('review.recurring')}</Note>}
      {!draft.deadline_at && !is_recurring && <Note>{t('review.offline', { count: days })}</Note>}
    </ul>
  )
}

function Details({ draft, checked }: { draft: Draft; checked: Checked }) {
  const { t } = useTranslation('push-task/wizard')
  const textOf = useTextOf()
  const { account_name } = useSession()
  const [is_listing, setListing] = useState(false)
  const values = valuesOf(draft) as { title?: string; text?: string; path?: string; file_kids?: string[] }
  return (
    <Properties
      of={[
        { label: t('review.account'), value: <strong>{account_name}</strong> },
        { label: t('content.kind'), value: textOf(pushTitles[draft.type]) },
        ...(values.text === undefined
          ? []
          : [
              {
                label: t('review.message'),
                is_wide: true,
                value: (
                  <>
                    <strong>{values.title}</strong>
                    <p className="push-message-text">{values.text}</p>
                  </>
                ),
              },
            ]),
        ...(values.file_kids
          ? [{ label: t('files.label'), is_wide: true, value: <Files kids={values.file_kids} /> }]
          : []),
        ...(values.path ? [{ label: t('files.path'), value: <code>{values.path}</code> }] : []),
        { label: t('review.devices'), value: <Chosen devices={draft.devices} /> },
        {
          label: t('review.exactly'),
          value: (
            <>
              <Button type="link" size="small" className="push-exactly" onClick={() => setListing(true)}>
                {t('check.total', { count: checked.total })}
              </Button>
              {is_listing && <PreviewDrawer checked={checked} onClose={() => setListing(false)} />}
            </>
          ),
        },
        ...(draft.description ? [{ label: t('content.description'), value: draft.description }] : []),
        ...(draft.rollout
          ? [
              {
                label: t('rollout.title'),
                value: t('review.thresholds', {
                  success: rolloutOf(draft)?.success_percent ?? 0,
                  error: rolloutOf(draft)?.error_percent ?? 0,
                }),
              },
            ]
          : []),
      ]}
    />
  )
}

function Files({ kids }: { kids: readonly string[] }) {
  const { t } = useTranslation('push-task/wizard')
  const { files } = useFilesOf(kids)
  return (
    <ul>
      {files.map((file) => (
        <li key={file.kid}>
          {entryName(file)} {file.is_folder ? t('files.whole_folder') : <Bytes value={file.size} />}
        </li>
      ))}
    </ul>
  )
}

const named_max = 12
/** How the devices were chosen, in words. */
function Chosen({ devices }: { devices: ChosenDevices }) {
  const { t } = useTranslation(['push-task/wizard', 'devices-picker', 'device', 'common'])
  const { sentence } = useConditionLabels()
  const { tree } = useGroups()
  const may_list = useMay('deviceList')
  const dynamic = useCall(
    api.terminalDynamicGroup.list,
    { with_counts: true },
    { enabled: devices.kind === 'dynamic' && may_list },
  )
  if (devices.kind === 'group') {
    const kid = devices.terminal_group_kid ?? ''
    if (kid === 'ALL') return t('device:group.all')
    if (kid === 'NO_GROUP') return t('device:group.none')
    return findGroup(tree, kid)?.path.join(' / ')
  }
  if (devices.kind === 'dynamic')
    return dynamic.data?.find(({ kid }) => kid === devices.terminal_dynamic_group_kid)?.name
  if (devices.kind === 'filter') {
    if (!devices.given) return devices.where && sentence(devices.where)
    return devices.given.said || t('devices-picker:filter_given_all')
  }
  if (devices.kind === 'sns') return devices.file ?? t('review.pasted', { count: devices.sns.length })
  const rest = devices.rows.length - named_max
  return (
    <>
      {listText(devices.rows.slice(0, named_max).map(({ sn, name }) => (name ? `${name} (${sn})` : sn)))}
      {rest > 0 && <span className="dim"> {t('device:and_more', { count: rest })}</span>}
    </>
  )
}

/** Keeps everything but the devices and the times under a name. */
function TemplateDrawer({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const { t } = useTranslation('push-task/wizard')
  const save = useWrite(api.pushTemplate.insert, { done: t('template.saved') })
  const { start_at: _start, deadline_at: _end, ...conditions } = conditionsOf(draft) ?? {}
  const rollout = rolloutOf(draft)
  const { picked_kids: _picked, ...kept } = rollout ?? { steps: [] }
  return (
    <FormDrawer<{ name: string }>
      title={t('template.title')}
      submit={t('template.submit')}
      initial={{ name: '' }}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={({ name }) =>
        save.mutateAsync({
          name,
          push: {
            ...workOf(draft),
            description: draft.description.trim(),
            conditions,
            ...(kept.steps.length > 0 && { rollout: { ...kept, takes_later: false } }),
          },
        })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('template.name')} extra={t('template.hint')} schema={api.pushTemplate.insert.input}>
        <Input autoFocus autoComplete="off" />
      </Field>
    </FormDrawer>
  )
}
