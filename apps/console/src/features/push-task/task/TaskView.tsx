import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { isFinal, pushTaskStates, pushTitles } from '@mdm/contract'
import type { PushTaskDetail, PushTaskState } from '@mdm/contract'
import { withParams } from '../../../core/address.ts'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay, useSession } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { listText } from '../../../i18n/list-text.ts'
import { DetailPage } from '../../../ui/DetailPage.tsx'
import type { Property } from '../../../ui/DetailPage.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { AddressTabs } from '../../../ui/AddressTabs.tsx'
import { pageIcon } from '../../../ui/icons.tsx'
import { isPermitted, RowActions } from '../../../ui/list/RowActions.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { DateTime } from '../../../ui/value/values.tsx'
import { usePushSentence } from '../../../shared/push/use-push-sentence.ts'
import { CountsBar } from '../CountsBar.tsx'
import type { CountsPart } from '../CountsBar.tsx'
import { PushEffectBadge, PushPhaseBadge } from './badges.tsx'
import { Failures } from './Failures.tsx'
import { LeftOut } from './LeftOut.tsx'
import { useLeftOutWords } from './left-out-words.ts'
import { PushDialogs } from './PushDialogs.tsx'
import { Lines, useConditionTexts, useContentFacts, useRolloutTexts } from './push-facts.tsx'
import { StepsPicture } from './StepsPicture.tsx'
import { TaskDevices } from './TaskDevices.tsx'
import { usePushActs, usePushDialogs } from './use-push-acts.tsx'
import { usePushNow } from './use-push-now.ts'
import './task.css'

type Props = { kid: string; /** Where the list is that it is one of. */ back: { to: string; text: string } | undefined }

/** One push, of whichever kind and wherever it is looked at: how it stands, its steps, its devices; live. */
export function TaskView({ kid, back }: Props) {
  const { t } = useTranslation(['push-task/task', 'push', 'common'])
  const textOf = useTextOf()
  const query = useCall(api.pushTask.get, { kid })
  const now = usePushNow()
  const task = query.data
  const facts = useFacts(task)
  const kind = task && textOf(pushTitles[task.type])
  return (
    <DetailPage
      title={task && kind ? (task.summary ? t('title_of', { kind, name: task.summary }) : kind) : t('task_of')}
      icon={pageIcon('pushTaskList')}
      state={
        task && (
          <>
            <PushPhaseBadge task={task} />
            {task.effect !== null && <PushEffectBadge effect={task.effect} />}
          </>
        )
      }
      actions={
        <>
          {task && <Acts task={task} />}
          {back && (
            <Link className="back-link" to={back.to}>
              {back.text}
            </Link>
          )}
        </>
      }
      note={task && now(task)}
      properties={facts}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {task && <Parts task={task} />}
    </DetailPage>
  )
}

function Parts({ task }: { task: PushTaskDetail }) {
  const { t } = useTranslation('push-task/task')
  const count = useCount()
  const [search] = useSearchParams()
  const tab = search.get('tab') === 'left_out' ? 'left_out' : 'devices'
  const linkTo = (step: number) => ({ search: withParams(search, { ...no_filter, step: String(step) }).toString() })
  return (
    <>
      {task.rollout && task.plan.length > 0 && <StepsPicture task={task} rollout={task.rollout} linkTo={linkTo} />}
      <AddressTabs
        label={t('task_of')}
        tabs={[
          { value: 'devices', label: t('tab.devices') },
          {
            value: 'left_out',
            label: task.left_out > 0 ? t('tab.left_out_count', { shown: count(task.left_out) }) : t('tab.left_out'),
          },
        ]}
        keeps={['kid', 'task']}
      />
      {tab === 'left_out' ? <LeftOut kid={task.kid} /> : <TaskDevices task={task} />}
    </>
  )
}

const no_filter = { tab: null, page: null, after: null, states: null, code: null, step: null, text: null }
const statesOf: Record<CountsPart, readonly PushTaskState[]> = {
  completed: ['completed'],
  failed: ['failed'],
  canceled: ['canceled'],
  wait_receipt: ['wait_receipt'],
  running: pushTaskStates.filter((state) => !isFinal(state) && state !== 'wait_receipt'),
}

/** How far it is, and why devices failed; each part leads to its devices below. */
function Progress({ task }: { task: PushTaskDetail }) {
  const [search] = useSearchParams()
  const linkTo = (part: CountsPart, code: string | null = null) => {
    const to = withParams(search, { ...no_filter, code })
    for (const state of statesOf[part]) to.append('states', state)
    return { search: to.toString() }
  }
  return (
    <>
      <CountsBar counts={task.counts} type={task.type} linkTo={linkTo} />
      <Failures task={task} linkTo={(code) => linkTo('failed', code)} />
    </>
  )
}

const inMenu = new Set(['move', 'copy', 'template'])
function Acts({ task }: { task: PushTaskDetail }) {
  const { t } = useTranslation('push-task/task')
  const { permissions } = useSession()
  const dialog = usePushDialogs([task])
  const acts = usePushActs(dialog)(task).filter((act) => isPermitted(permissions, act))
  return (
    <>
      {acts
        .filter(({ id }) => !inMenu.has(id ?? ''))
        .map((act) => (
          <DisabledReason key={act.id} disabled_reason={act.disabled_reason}>
            <Button
              type={act.id === 'approve' && !act.disabled_reason ? 'primary' : 'default'}
              disabled={act.disabled_reason !== undefined}
              loading={act.loading ?? false}
              data-action={act.id}
              onClick={act.onSelect}
            >
              {act.label}
            </Button>
          </DisabledReason>
        ))}
      <RowActions name={task.summary || t('task_of')} actions={acts.filter(({ id }) => inMenu.has(id ?? ''))} />
      <PushDialogs dialog={dialog} />
    </>
  )
}

/** Everything that was asked for, in words. */
function useFacts(task: PushTaskDetail | undefined): Property[] {
  const { t } = useTranslation(['push-task/task', 'common'])
  const leftOutWords = useLeftOutWords()
  const count = useCount()
  const content = useContentFacts(task)
  const conditionTexts = useConditionTexts()
  const rolloutTexts = useRolloutTexts()
  const sentence = usePushSentence()
  const may_list = useMay('pushTaskList')
  // The names that every push has, as long as it is on its way.
  if (!task)
    return [
      { label: t('fact.what'), value: null, is_wide: true },
      { label: t('column.by'), value: null },
      { label: t('common:created_at'), value: null },
      { label: t('fact.conditions'), value: null },
      { label: t('fact.progress'), value: null, is_wide: true },
    ]
  const { counts, left_out_counts, conditions, rollout, schedule_kid } = task
  const { start_at, deadline_at, decided_by, decided_at, canceled_by, remark, phase } = task
  const conditions_said = conditionTexts(conditions)
  const left_out = listText(left_out_counts.map(({ reason, count: n }) => `${leftOutWords(reason).words}: ${count(n)}`))
  return [
    { label: t('fact.what'), value: sentence(task), is_wide: true },
    { label: t('column.by'), value: task.created_by },
    { label: t('common:created_at'), value: <DateTime at={task.created_at} /> },
    ...(task.changed_at ? [{ label: t('fact.changed'), value: <DateTime at={task.changed_at} /> }] : []),
    ...(task.description ? [{ label: t('fact.description'), value: task.description, is_wide: true }] : []),
    ...content,
    ...(left_out ? [{ label: t('fact.left_out'), value: left_out }] : []),
    ...(start_at ? [{ label: t('fact.start'), value: <DateTime at={start_at} /> }] : []),
    ...(deadline_at ? [{ label: t('fact.deadline'), value: <DateTime at={deadline_at} /> }] : []),
    ...(schedule_kid && may_list
      ? [
          {
            label: t('fact.recurring'),
            value: <Link to={link.pushTaskList.to({ schedule_kid })}>{t('fact.recurring_open')}</Link>,
          },
        ]
      : []),
    {
      label: t('fact.conditions'),
      value: conditions_said.length > 0 ? <Lines of={conditions_said} /> : t('condition.none'),
      is_wide: true,
    },
    ...(rollout ? [{ label: t('fact.rollout'), value: <Lines of={rolloutTexts(rollout)} />, is_wide: true }] : []),
    ...(decided_by
      ? [
          {
            label: t('fact.decision'),
            is_wide: true,
            value: (
              <>
                {t(phase === 'rejected' ? 'fact.rejected' : 'fact.approved', { name: decided_by })}{' '}
                <DateTime at={decided_at} />
                {remark && <span className="push-remark">{remark}</span>}
              </>
            ),
          },
        ]
      : []),
    ...(canceled_by ? [{ label: t('fact.canceled_by'), value: canceled_by }] : []),
    ...(counts.total > 0
      ? [
          {
            label: t('fact.progress'),
            value: <Progress task={task} />,
            is_wide: true,
          },
        ]
      : []),
  ]
}
