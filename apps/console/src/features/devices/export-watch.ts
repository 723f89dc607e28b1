import type { TerminalExport } from '@mdm/contract'
import { api, invalidate, send } from '../../api.ts'
import { CallFailed } from '../../call-failed.ts'
import { say } from '../../i18n/say.ts'
import { sessionState } from '../../session-store.ts'
import { useTray } from '../../shell/tray.ts'
import { deviceList } from './screens.ts'

/** Live events are faster where they come; this is for the tray, which has to end even when they do not. */
const look_ms = 2_000
const watched = new Set<string>()

/** Keeps a line in the tray for as long as the export runs, whatever screen is open. */
export function watch({ schedule_version }: Pick<TerminalExport, 'schedule_version'>): void {
  if (watched.has(schedule_version)) return
  watched.add(schedule_version)
  void follow(schedule_version, sessionState().account_kid).finally(() => watched.delete(schedule_version))
}

async function follow(schedule_version: string, account_kid: string | null): Promise<void> {
  const { put, remove } = useTray.getState()
  for (;;) {
    // In another account nobody can see it; whoever comes back finds it in the drawer.
    if (sessionState().account_kid !== account_kid) return remove(schedule_version)
    try {
      const all = await send(api.terminalExport.list_export_schedule, {})
      const job = all.find((each) => each.schedule_version === schedule_version)
      if (!job || job.state === 'canceled') return remove(schedule_version)
      const { state, done, total } = job
      put({
        id: schedule_version,
        title: say('device-export:tray'),
        done,
        total: total || null,
        state,
        detail: job.name,
        to: deviceList.to({}),
      })
      if (state !== 'running') return void invalidate('terminal_export')
    } catch (error) {
      // The network may be away; anything else will not get better.
      if (!(error instanceof CallFailed && error.is_offline)) return remove(schedule_version)
    }
    await new Promise((resolve) => setTimeout(resolve, look_ms))
  }
}
