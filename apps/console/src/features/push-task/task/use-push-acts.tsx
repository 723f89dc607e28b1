import { canPushPhase, holds, pushKindOf, pushKinds } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useSession } from '../../../core/session.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import type { Dialogs } from '../../../ui/dialog/use-dialog.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { announcePush } from '../../../shared/push/announce.ts'
import { usePushSentence } from '../../../shared/push/use-push-sentence.ts'
import { retryNeeds } from '../../../shared/push/push-labels.ts'
import { useRetried } from './use-retried.ts'

const dialogs = {
  cancel: 'deviceDetailTask:cancel',
  approve: 'pushTaskList:approve',
  reject: 'pushTaskList:approve',
  template: 'pushTaskList:template',
  move: 'pushTaskList:control',
} as const
export type PushDialog = keyof typeof dialogs

export const usePushDialogs = <R extends PushTaskRow>(rows: readonly R[]): Dialogs<PushDialog, R> =>
  useDialog<PushDialog, R>(dialogs, rows)

/** Why a push that has begun cannot be tried again now. */
export const whyNoRetry = ({ retry, phase, counts }: PushTaskRow) => {
  if (retry) return 'retrying'
  if (counts.failed + counts.canceled > 0) return 'canceling'
  return canPushPhase(phase, 'cancel') ? 'retry_yet' : 'retry'
}

/** What a change before the start brings with it besides. */
export function useChangeNotes(): (task: PushTaskRow) => string[] {
  const { t } = useTranslation('push-task/task')
  return ({ is_own, is_approved, phase, created_by }) => [
    ...(is_own ? [] : [t('change.becomes_yours', { name: created_by })]),
    ...(is_approved || phase === 'awaiting_approval' ? [t('change.approval_again')] : []),
  ]
}

/**
 * What can be done with a push as a whole, by its state and the person's permissions: on its page and in the list's menu.
 * What cannot be done now is dimmed with its reason, or absent where only another phase knows it.
 */
export function usePushActs(dialog: Dialogs<PushDialog, PushTaskRow>): (task: PushTaskRow) => readonly RowAction[] {
  const { t } = useTranslation('push-task/task')
  const count = useCount()
  const navigate = useNavigate()
  const { permissions } = useSession()
  const ask = useQuestion((s) => s.ask)
  const pause = useWrite(api.pushTask.pause, { done: t('paused') })
  const resume = useWrite(api.pushTask.resume, { done: t('resumed') })
  const move = useWrite(api.pushTask.move, { onSuccess: announcePush })
  const sentence = usePushSentence()
  const changeNotes = useChangeNotes()
  const retry = useWrite(api.pushTask.retry, { onSuccess: useRetried() })

  const resumeAsked = async ({ kid, paused_because, step }: PushTaskRow) => {
    const is_sure =
      paused_because === null ||
      (await ask({
        title: t('resume_anyway.title', { why: t(`resume_anyway.${paused_because}`) }),
        text: t('resume_anyway.text', { step: count(step ?? 1) }),
        yes: t('resume_anyway.yes'),
        no: t('resume_anyway.no'),
      }))
    if (is_sure) await resume.run({ push_task_kid: kid })
  }

  const startAsked = async (task: PushTaskRow) => {
    const is_sure = await ask({
      title: t('start.title'),
      text: [sentence({ ...task, start_at: null }), ...changeNotes(task)].join(' '),
      yes: t('action.start'),
      no: t('start.dismiss'),
      is_danger: pushKindOf(task.type).is_delayed === true,
    })
    if (is_sure) await move.run({ push_task_kid: task.kid, version: task.version, start_at: null })
  }

  return (task) => {
    const { kid, can, phase, is_own, type, counts } = task
    const again = counts.failed + counts.canceled
    // No device has been sent anything before it begins.
    const has_begun = phase !== 'awaiting_approval' && phase !== 'planned' && phase !== 'rejected'
    const may_retry = has_begun && retryNeeds(type).every((each) => holds(permissions, each))
    const own = is_own ? t('disabled_reason.own') : undefined
    const decide = (decision: 'approve' | 'reject', disabled_reason: string | undefined): RowAction => ({
      id: decision,
      needs: dialogs[decision],
      label: t(`action.${decision}`),
      disabled_reason,
      onSelect: () => dialog.open(decision, task),
    })
    // Whoever changes it has it done in their own name.
    const change_needs = [dialogs.move, pushKinds[type].needs] as const
    const changes: RowAction[] = [
      {
        id: 'start',
        needs: change_needs,
        label: t('action.start'),
        loading: move.isPending && move.variables.push_task_kid === kid,
        onSelect: () => void startAsked(task),
      },
      {
        id: 'edit',
        needs: change_needs,
        label: t('action.edit'),
        onSelect: () => void navigate(link.pushTaskEdit.to({ kid })),
      },
      { id: 'move', needs: change_needs, label: t('action.move'), onSelect: () => dialog.open('move', task) },
    ]
    const made: RowAction[] = [
      { id: 'copy', needs: pushKinds[type].needs, label: t('action.copy'), to: link.pushTaskAdd.to({ copy: kid }) },
      {
        id: 'template',
        needs: dialogs.template,
        label: t('action.template'),
        onSelect: () => dialog.open('template', task),
      },
      {
        id: 'cancel',
        needs: dialogs.cancel,
        label: t('action.cancel'),
        danger: true,
        disabled_reason: can.includes('cancel') ? undefined : t('disabled_reason.cancel'),
        onSelect: () => dialog.open('cancel', task),
      },
    ]
    return [
      // Whoever pushed may take it back, not approve it.
      ...(phase === 'awaiting_approval' ? [decide('approve', own), decide('reject', undefined)] : []),
      ...(can.includes('change') ? changes : []),
      ...(can.includes('pause')
        ? [
            {
              id: 'pause',
              needs: 'pushTaskList:control',
              label: t('action.pause'),
              loading: pause.isPending && pause.variables.push_task_kid === kid,
              onSelect: () => void pause.run({ push_task_kid: kid }),
            } satisfies RowAction,
          ]
        : []),
      ...(can.includes('resume')
        ? [
            {
              id: 'resume',
              needs: 'pushTaskList:control',
              label: t('action.resume'),
              loading: resume.isPending && resume.variables.push_task_kid === kid,
              onSelect: () => void resumeAsked(task),
            } satisfies RowAction,
          ]
        : []),
      ...(may_retry
        ? [
            {
              id: 'retry',
              label: again > 0 ? t('action.retry_all', { count: again, shown: count(again) }) : t('action.retry'),
              disabled_reason: can.includes('retry') ? undefined : t(`disabled_reason.${whyNoRetry(task)}`),
              loading: retry.isPending && retry.variables.push_task_kid === kid,
              onSelect: () => void retry.run({ push_task_kid: kid }),
            } satisfies RowAction,
          ]
        : []),
      // What another page makes is copied and taken back there.
      ...(pushKindOf(type).is_internal_only ? [] : made),
    ]
  }
}
