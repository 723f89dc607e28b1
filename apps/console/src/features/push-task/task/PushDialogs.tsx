import { Input } from 'antd'
import { lazy, Suspense } from 'react'
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
import { useCount } from '../../../ui/value/format.ts'
import { usePushSentence } from '../../../shared/push/use-push-sentence.ts'
import { Lines, useContentFacts, useRolloutTexts } from './push-facts.tsx'
import type { PushDialog } from './use-push-acts.tsx'
import { Link } from 'react-router'
import './task.css'

// Pickers of times are large, and lists of pushes do without.
const MovePush = lazy(() => import('./MovePush.tsx').then((m) => ({ default: m.MovePush })))

/** Whichever dialog of a push is open. */
export function PushDialogs({ dialog }: { dialog: Dialogs<PushDialog, PushTaskRow> }) {
  const { opened, close } = dialog
  if (!opened) return null
  const { kind, row } = opened
  if (kind === 'cancel') return <CancelPush task={row} onClose={close} />
  if (kind === 'move')
    return (
      <Suspense>
        <MovePush task={row} onClose={close} />
      </Suspense>
    )
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

/** A row of the list does not say all that these show. */
type InDetail = Exclude<PushDialog, 'cancel' | 'move'>
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
