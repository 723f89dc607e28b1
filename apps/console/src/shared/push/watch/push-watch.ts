import { pushTitles } from '@mdm/contract'
import type { PushTaskRow, Text } from '@mdm/contract'
import { api, invalidate, send } from '../../../core/api.ts'
import { followWork } from '../../../core/follow-work.ts'
import { link } from '../../../core/links.ts'
import { notify } from '../../../core/notices.ts'
import { may } from '../../../core/session.tsx'
import type { Work } from '../../../core/tray.ts'
import { translate } from '../../../i18n/translate.ts'

type Words = { textOf: (text: Text) => string; count: (value: number) => string }

/** Shows in the tray how far a push is being created, whatever screen is open, and then for how many it was. */
export function watch({ kid }: PushTaskRow, words: Words): void {
  const look = async () => workOf(await send(api.pushTask.get, { kid }), words)
  followWork(`push-${kid}`, look, () => void invalidate('push_task'))
}

function workOf(task: PushTaskRow, { textOf, count }: Words): Omit<Work, 'id'> | undefined {
  const { kid, phase, counts, target_count, left_out, type, summary } = task
  const name = summary || textOf(pushTitles[type])
  const to = link.pushTaskDetail.to({ kid })
  if (phase === 'creating')
    return {
      title: translate('push/watch:creating', { name }),
      done: counts.total,
      total: target_count,
      state: 'running',
      detail: translate('push/watch:counts', { done: count(counts.total), total: count(target_count) }),
      to,
      ...(may('deviceDetailTask:cancel') && { cancel: () => void cancel(kid) }),
    }
  if (phase === 'canceled') {
    notify.info(translate('push/watch:canceled', { name }))
    return undefined
  }
  return {
    title: translate('push/watch:created', { name, count: counts.total, shown: count(counts.total) }),
    done: counts.total,
    total: counts.total,
    state: 'done',
    ...(left_out > 0 && {
      detail: translate('push/watch:left_out', { count: left_out, shown: count(left_out) }),
    }),
    to,
  }
}

async function cancel(kid: string): Promise<void> {
  try {
    await send(api.pushTask.cancel, { push_task_kid: kid })
    void invalidate('push_task')
  } catch (error) {
    notify.fail(error)
  }
}
