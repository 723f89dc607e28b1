import { constants } from '@mdm/contract'
import type { ScrapSchedule } from '@mdm/contract'
import { api, invalidate, send } from '../../core/api.ts'
import { translate } from '../../i18n/translate.ts'
import { notify } from '../../core/notices.ts'
import { may } from '../../core/session.tsx'
import { followWork } from '../../core/follow-work.ts'
import { useTray } from '../../core/tray.ts'
import type { Work } from '../../core/tray.ts'

const told = new Set<string>()

/** Shows in the tray how long devices wait to be scrapped, and then what came of it. */
export function watch({ schedule_version, is_own, total, created_by }: ScrapSchedule): void {
  const id = `scrap-${schedule_version}`
  if (!is_own && !told.has(id)) notify.info(translate('device-scrap:begun', { count: total, name: created_by }))
  told.add(id)
  const look = async () => {
    const all = await send(api.terminalScrap.list_scrap_schedule, {})
    const now = all.find((each) => each.schedule_version === schedule_version)
    return now && workOf(now, () => void cancel(id, now))
  }
  followWork(id, look, () => {
    for (const group of ['terminal', 'terminal_group', 'terminal_scrap', 'account', 'push_task']) void invalidate(group)
  })
}

async function cancel(id: string, { schedule_version }: ScrapSchedule): Promise<void> {
  try {
    await send(api.terminalScrap.cancel_scrap_schedule, { schedule_version })
    useTray.getState().remove(id)
    void invalidate('terminal_scrap')
  } catch (error) {
    notify.fail(error)
  }
}

function workOf(schedule: ScrapSchedule, onCancel: () => void): Omit<Work, 'id'> | undefined {
  const { state, total, scrapped, due_in_seconds, created_by, canceled_by } = schedule
  const title = translate('device-scrap:title', { count: total })
  const by = translate('device-scrap:by', { name: created_by })
  if (state === 'waiting') {
    return {
      title,
      countdown: {
        ends_at: performance.now() + due_in_seconds * 1_000,
        title: (left) => translate('device-scrap:waits', { count: total, left }),
      },
      done: constants.scrap_delay_seconds - due_in_seconds,
      total: constants.scrap_delay_seconds,
      state: 'running',
      detail: by,
      ...(may('deviceList:cancel') && { cancel: onCancel }),
    }
  }
  if (state === 'canceled') {
    const what = canceled_by === null ? 'dropped' : 'canceled'
    notify.info(translate(`device-scrap:${what}`, { count: total, name: canceled_by ?? '' }))
    return undefined
  }
  if (state === 'failed') {
    const detail = translate('device-scrap:failed', { count: total })
    notify.fail(new Error(detail))
    return { title, done: 0, total, state, detail }
  }
  notify.ok(translate('device-scrap:done', { count: scrapped }))
  const left_out = total - scrapped
  return {
    title: translate('device-scrap:done', { count: scrapped }),
    done: scrapped,
    total,
    state,
    detail: left_out > 0 ? `${translate('device-scrap:left_out', { count: left_out })} ${by}` : by,
  }
}
