import type { TerminalExport } from '@mdm/contract'
import { api, invalidate, send } from '../../../core/api.ts'
import { translate } from '../../../i18n/translate.ts'
import { followWork } from '../../../core/follow-work.ts'
import { link } from '../../../core/links.ts'

/** Shows in the tray how far an export is. */
export function watch({ schedule_version }: Pick<TerminalExport, 'schedule_version'>): void {
  const look = async () => {
    const all = await send(api.terminalExport.list_export_schedule, {})
    const job = all.find((each) => each.schedule_version === schedule_version)
    if (!job || job.state === 'canceled') return undefined
    const { state, done, total, name } = job
    return {
      title: translate('devices/export:tray'),
      done,
      total: total || null,
      state,
      detail: name,
      to: link.deviceList.to({}),
    }
  }
  followWork(`export-${schedule_version}`, look, () => void invalidate('terminal_export'))
}
