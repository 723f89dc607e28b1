import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { Work } from '@mdm/contract'
import type { PushConditions, PushTaskDetail, PushTaskRow, Rollout } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { notify } from '../../../core/notices.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import type { Dialogs } from '../../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { useZone } from '../../../core/session.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { announcePush } from '../../../shared/push/announce.ts'
import { usePushSentence } from '../../../shared/push/use-push-sentence.ts'
import { InstantPicker } from '../wizard/InstantPicker.tsx'
import { Lines, useContentFacts, useRolloutTexts } from './push-facts.tsx'
import type { PushDialog } from './use-push-acts.tsx'
import { Link } from 'react-router'
import './task.css'

/** Whichever dialog of a push is open. */
export function PushDialogs({ dialog }: { dialog: Dialogs<PushDialog, PushTaskRow> }) {
  const { opened, close } = dialog
  if (!opened) return null
  const { kind, row } = opened
  if (kind === 'cancel') return <CancelPush task={row} onClose={close} />
  if (kind === 'start') return <StartPush task={row} onClose={close} />
  if (kind === 'move') return <MovePush task={row} onClose={close} />
  return <WithDetail key={row.kid} kid={row.kid} kind={kind} onClose={close} />
}

function CancelPush({ task, onClose }: { task: PushTaskRow; onClose: () => void }) {
  const { t } = useTranslation(['push-task/task', 'push'])
  const sentence = usePushSentence()
  const count = useCount()
  const open = task.counts.wait_receipt + task.counts.running
  return (
    <ConfirmWrite
      call={api.pushTask.cancel}
      input={{ push_task_kid: task.kid }}
      title={open > 0 ? t('cancel.title_open', { count: open, shown: count(open) }) : t('cancel.title')}
      submit={t('cancel.submit')}
      dismiss={t('cancel.dismiss')}
      onDone={({ canceled, asked, rest }) => {
        if (rest > 0)
          notify.ok(t('canceled_rest', { canceled: count(canceled), asked: count(asked), rest: count(rest) }))
        else if (asked > 0) notify.ok(t('canceled_asked', { canceled: count(canceled), asked: count(asked) }))
        else if (canceled > 0) notify.ok(t('canceled_at_once', { count: canceled, shown: count(canceled) }))
        else notify.ok(t('canceled_before'))
      }}
      onClose={onClose}
    >
      <p>{sentence(task)}</p>
      <p>{task.counts.total > 0 ? t('push:cancel_hint') : t('cancel.before')}</p>
    </ConfirmWrite>
  )
}

function StartPush({ task, onClose }: { task: PushTaskRow; onClose: () => void }) {
  const { t } = useTranslation('push-task/task')
  const sentence = usePushSentence()
  return (
    <ConfirmWrite
      call={api.pushTask.move}
      input={{ push_task_kid: task.kid, version: task.version, start_at: null }}
      title={t('start.title')}
      submit={t('start.submit')}
      dismiss={t('start.dismiss')}
      onDone={announcePush}
      onClose={onClose}
    >
      <p>{sentence({ ...task, start_at: null })}</p>
      <ChangeNotes task={task} />
    </ConfirmWrite>
  )
}

function MovePush({ task, onClose }: { task: PushTaskRow; onClose: () => void }) {
  const { t } = useTranslation(['push-task/task', 'common'])
  const sentence = usePushSentence()
  const zone = useZone()
  const write = useWrite(api.pushTask.move, { onSuccess: announcePush })
  return (
    <FormDrawer<{ start_at: string }>
      width={520}
      title={t('move.title')}
      submit={t('move.submit')}
      initial={{ start_at: task.start_at ?? '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ start_at }) => write.mutateAsync({ push_task_kid: task.kid, version: task.version, start_at })}
      onDone={onClose}
      onClose={onClose}
    >
      <div className="push-drawer">
        <Properties of={[{ label: t('fact.what'), value: sentence(task), is_wide: true }]} />
        <ChangeNotes task={task} />
      </div>
      <Field
        name="start_at"
        label={t('move.start_at')}
        extra={t('common:list.zone', { zone })}
        rules={[{ required: true, message: t('common:invalid.required') }]}
      >
        <InstantPicker autoFocus />
      </Field>
    </FormDrawer>
  )
}

/** What a change brings with it besides. */
function ChangeNotes({ task }: { task: PushTaskRow }) {
  const { t } = useTranslation('push-task/task')
  return (
    <>
      {!task.is_own && <p className="dim">{t('change.becomes_yours', { name: task.created_by })}</p>}
      {(task.phase === 'awaiting_approval' || task.is_approved) && <p className="dim">{t('change.approval_again')}</p>}
    </>
  )
}

/** A row of the list does not say all that these show. */
type InDetail = Exclude<PushDialog, 'cancel' | 'start' | 'move'>
function WithDetail({ kid, kind, onClose }: { kid: string; kind: InDetail; onClose: () => void }) {
  const query = useCall(api.pushTask.get, { kid })
  if (!query.data) return null
  return kind === 'template' ? (
    <SaveTemplate task={query.data} onClose={onClose} />
  ) : (
    <Decide task={query.data} decision={kind} onClose={onClose} />
  )
}

type Of = { task: PushTaskDetail; onClose: () => void }
function Decide({ task, decision, onClose }: Of & { decision: 'approve' | 'reject' }) {
  const { t } = useTranslation('push-task/task')
  const content = useContentFacts(task)
  const rolloutTexts = useRolloutTexts()
  const sentence = usePushSentence()
  const done = t(decision === 'approve' ? 'decide.approved' : 'decide.rejected')
  const write = useWrite(api.pushTask[decision], { done })
  return (
    <FormDrawer<{ remark: string }>
      width={520}
      title={t(`decide.${decision}_title`)}
      submit={t(`decide.${decision}`)}
      initial={{ remark: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ remark }) => write.mutateAsync({ push_task_kid: task.kid, remark })}
      onDone={onClose}
      onClose={onClose}
    >
      <div className="push-drawer">
        <Properties
          of={[
            { label: t('fact.what'), value: sentence(task), is_wide: true },
            ...content,
            { label: t('decide.by'), value: task.created_by },
            ...(task.description ? [{ label: t('fact.description'), value: task.description }] : []),
            ...(task.rollout ? [{ label: t('fact.rollout'), value: <Lines of={rolloutTexts(task.rollout)} /> }] : []),
          ]}
        />
        <p className="push-drawer-more">
          <Link to={link.pushTaskDetail.to({ kid: task.kid })}>{t('decide.see')}</Link>
        </p>
      </div>
      <Field name="remark" label={t('decide.remark')} extra={t('decide.remark_hint')}>
        <Input.TextArea autoFocus rows={3} maxLength={200} showCount />
      </Field>
    </FormDrawer>
  )
}

function SaveTemplate({ task, onClose }: Of) {
  const { t } = useTranslation('push-task/task')
  const write = useWrite(api.pushTemplate.insert, { done: t('template.saved') })
  const { description, conditions } = task
  return (
    <FormDrawer<{ name: string }>
      title={t('template.title')}
      submit={t('template.submit')}
      initial={{ name: task.summary.slice(0, 64) }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ name }) =>
        write.mutateAsync({
          name,
          push: {
            ...Work.parse({ type: task.type, payload: task.payload }),
            description,
            conditions: withoutTimes(conditions),
            ...(task.rollout && withoutDevices(task.rollout)),
          },
        })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <p className="form-note">{t('template.what')}</p>
      <Field name="name" label={t('template.name')} schema={api.pushTemplate.insert.input}>
        <Input autoFocus autoComplete="off" />
      </Field>
    </FormDrawer>
  )
}

/** What is another one each time is not kept: when it starts and ends. */
const withoutTimes = ({ start_at: _start, deadline_at: _deadline, ...kept }: PushConditions): PushConditions => kept
/** Devices picked by hand belong to one push. A rollout that had no other step is none without them. */
const withoutDevices = ({ picked_kids: _picked, ...kept }: Rollout) => (kept.steps.length > 0 ? { rollout: kept } : {})
