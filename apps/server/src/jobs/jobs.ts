import { checkObjects } from '../files/object-checks.ts'
import { purgeUploads } from '../files/upload-upkeep.ts'
import { purgeExpired } from '../modules/enrolment/service.ts'
import { dropOldAlerts, watchAlerts } from '../modules/alert/service.ts'
import { settleFences } from '../modules/electronic-fence/service.ts'
import { runRequirements } from '../modules/app-requirement/service.ts'
import { runSchedules } from '../modules/push-schedule/service.ts'
import { noteDay, wakeCancelling, wakeDeltas, wakePackages } from '../modules/os-version/service.ts'
import { dropOldBuilds, wakeBuilds } from '../modules/os-custom/service.ts'
import { wakeFiles } from '../modules/oscs-base/service.ts'
import { dropOld, failOverdue, takeLater, wakePushes } from '../modules/push-task/service.ts'
import { sampleOnline, wakeScraps } from '../modules/terminal/service.ts'
import { wakeOwing } from '../modules/terminal-config/service.ts'
import { keepBatches, wakeBatches } from '../modules/terminal-batch/service.ts'
import { keepExports, wakeExports } from '../modules/terminal-export/service.ts'
import { keepTransfers } from '../modules/terminal-file/service.ts'
import { wakeSender } from '../modules/webhook/service.ts'
import { tellExpiry } from './account-expiry.ts'
import { endDeadNodes } from './nodes.ts'
import { bringForward, shortenLives } from './put-right.ts'
import { ensurePartitions } from './partitions.ts'
import { purgeExpiredRows } from './purge.ts'
import type { Job } from './runner.ts'

const minute_ms = 60_000

/** Every timer of the server, but for what each node does for itself (its heartbeat, sending to its own devices). */
export const jobs: Job[] = [
  { name: 'partitions', every_ms: 6 * 60 * minute_ms, run: ensurePartitions },
  { name: 'late_sends', every_ms: minute_ms, run: bringForward },
  { name: 'long_lives', every_ms: 60 * minute_ms, by_age: true, run: shortenLives },
  { name: 'push_deadlines', every_ms: 30_000, by_age: true, run: async (deps) => void (await failOverdue(deps)) },
  // When the server that was to wake for it is not there any more.
  { name: 'pushes', every_ms: 5_000, run: async (deps) => wakePushes(deps) },
  { name: 'configurations', every_ms: 5_000, run: async (deps) => wakeOwing(deps) },
  { name: 'push_schedules', every_ms: 5_000, by_age: true, run: runSchedules },
  { name: 'required_apps', every_ms: 30_000, by_age: true, run: runRequirements },
  { name: 'later_devices', every_ms: 5 * minute_ms, by_age: true, run: async (deps) => void (await takeLater(deps)) },
  { name: 'old_pushes', every_ms: 60 * minute_ms, by_age: true, run: dropOld },
  { name: 'alerts', every_ms: 20_000, by_age: true, run: watchAlerts },
  { name: 'old_alerts', every_ms: 60 * minute_ms, by_age: true, run: dropOldAlerts },
  { name: 'fences', every_ms: 5_000, by_age: true, run: settleFences },
  { name: 'dead_nodes', every_ms: 15_000, by_age: true, run: (deps) => endDeadNodes(deps) },
  { name: 'expired_rows', every_ms: 10 * minute_ms, by_age: true, run: purgeExpiredRows },
  // It goes on by itself: a receiver that is slow to answer must not keep the other jobs waiting.
  { name: 'webhooks', every_ms: 5_000, run: async (deps) => wakeSender(deps) },
  // Goes on by itself, as webhooks do.
  { name: 'batches', every_ms: 5_000, run: async (deps) => wakeBatches(deps) },
  { name: 'old_batches', every_ms: 10 * minute_ms, by_age: true, run: keepBatches },
  // When the server that was to wake for it is not there any more.
  { name: 'scraps', every_ms: 5_000, by_age: true, run: async (deps) => wakeScraps(deps) },
  { name: 'exports', every_ms: 5_000, run: async (deps) => wakeExports(deps) },
  { name: 'old_exports', every_ms: 10 * minute_ms, by_age: true, run: keepExports },
  // Go on by themselves, when the server that was to do it is not there any more.
  { name: 'os_packages', every_ms: 5_000, run: async (deps) => wakePackages(deps) },
  { name: 'os_deltas', every_ms: 5_000, run: async (deps) => wakeDeltas(deps) },
  { name: 'os_builds', every_ms: 5_000, run: async (deps) => wakeBuilds(deps) },
  { name: 'old_os_builds', every_ms: 60 * minute_ms, by_age: true, run: dropOldBuilds },
  { name: 'oscs_files', every_ms: 5_000, run: async (deps) => wakeFiles(deps) },
  { name: 'os_cancelling', every_ms: 5_000, run: async (deps) => wakeCancelling(deps) },
  { name: 'os_days', every_ms: 60 * minute_ms, run: noteDay },
  { name: 'account_expiry', every_ms: 60 * minute_ms, by_age: true, run: tellExpiry },
  {
    name: 'announcements',
    every_ms: minute_ms,
    by_age: true,
    run: async (deps) => void (await purgeExpired(deps)),
  },
  { name: 'online_samples', every_ms: 5 * minute_ms, by_age: true, run: sampleOnline },
  { name: 'device_transfers', every_ms: minute_ms, by_age: true, run: keepTransfers },
  // A large object may take minutes to read.
  { name: 'object_checks', every_ms: 10 * minute_ms, lock_ms: 60 * minute_ms, by_age: true, run: checkObjects },
  {
    name: 'unclaimed_uploads',
    every_ms: 10 * minute_ms,
    by_age: true,
    run: async (deps) => void (await purgeUploads(deps)),
  },
]
