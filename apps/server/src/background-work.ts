import { handlers } from './handlers.ts'
import { checkObjects } from './files/object-checks.ts'
import { purgeUploads } from './files/upload-upkeep.ts'
import { tellExpiry } from './jobs/account-expiry.ts'
import { endDeadNodes } from './link/nodes.ts'
import { ensurePartitions } from './jobs/partitions.ts'
import { purgeExpiredRows } from './jobs/purge.ts'
import { renewCertificate } from './jobs/renew-certificate.ts'
import { bringForward, shortenLives } from './jobs/clamp-future-times.ts'
import { agentResets } from './gateways/shared/silent-resets.ts'
import type { Work } from './lib/background.ts'
import { alertActions, changedRules, dropOldAlerts, judgeRules } from './modules/watch/alert/index.ts'
import { requiredApps } from './modules/catalogue/app-requirement/index.ts'
import { fenceActions, fencesDue, settleFences } from './modules/configuration/electronic-fence/index.ts'
import { purgeExpired } from './modules/fleet/enrolment/index.ts'
import { dropOldBuilds, osBuilds } from './modules/catalogue/os-custom/index.ts'
import { noteDay, osCancelling, osDeltas, osPackages } from './modules/catalogue/os-version/index.ts'
import { baseFiles } from './modules/catalogue/oscs-base/index.ts'
import { runSchedules } from './modules/push/push-schedule/index.ts'
import { dropOld, failOverdue, pushes, pushLists, takeLater } from './modules/push/push-task/index.ts'
import { keepBatches, batches } from './modules/fleet/terminal-batch/index.ts'
import { profileMembers } from './modules/configuration/config-profile/index.ts'
import { configurationQueue } from './modules/configuration/terminal-config/index.ts'
import { deviceExports, keepExports } from './modules/watch/terminal-export/index.ts'
import { dropOldSessions, keepRecordings, keepSessions } from './modules/devices/terminal-remote/index.ts'
import { keepTransfers } from './modules/devices/terminal-file/index.ts'
import { sampleOnline, scraps } from './modules/devices/terminal/index.ts'
import { deviceNews, deviceSilences } from './modules/watch/device-news/index.ts'
import { listReports } from './modules/watch/list-report/index.ts'
import { pushNews } from './modules/watch/push-news/index.ts'
import { webhookDeliveries } from './modules/watch/webhook/index.ts'
import { forgottenPasswords } from './modules/people/login/index.ts'
import { dropOldMails, mails } from './modules/people/mail/index.ts'
import { expire, keepActivation } from './modules/people/activation/index.ts'

const second_ms = 1_000
const minute_ms = 60 * second_ms

/** Everything that the server does in the background, but for what each node does for itself (its heartbeat, sending to its own devices). */
export const backgroundWork: Work[] = [
  // What somebody has made and every server works off.
  alertActions,
  baseFiles,
  batches,
  changedRules,
  configurationQueue,
  deviceExports,
  fenceActions,
  fencesDue,
  forgottenPasswords,
  listReports(handlers),
  mails,
  osBuilds,
  osCancelling,
  osDeltas,
  osPackages,
  profileMembers,
  pushes,
  pushLists,
  requiredApps,
  scraps,
  webhookDeliveries,
  // What time brings.
  { name: 'account_expiry', every_ms: 60 * minute_ms, by_age: true, run: tellExpiry },
  { name: 'activation', every_ms: minute_ms, run: keepActivation },
  { name: 'activation_ends', every_ms: minute_ms, by_age: true, run: expire },
  agentResets,
  { name: 'alerts', every_ms: 20 * second_ms, by_age: true, run: (deps) => judgeRules(deps) },
  { name: 'announcements', every_ms: minute_ms, by_age: true, run: async (deps) => void (await purgeExpired(deps)) },
  { name: 'certificate', every_ms: minute_ms, by_age: true, run: renewCertificate },
  { name: 'dead_nodes', every_ms: 15 * second_ms, by_age: true, run: (deps) => endDeadNodes(deps) },
  deviceNews,
  deviceSilences,
  { name: 'device_transfers', every_ms: minute_ms, by_age: true, run: keepTransfers },
  { name: 'expired_rows', every_ms: 10 * minute_ms, by_age: true, run: purgeExpiredRows },
  { name: 'fences', every_ms: 5 * second_ms, by_age: true, run: settleFences },
  { name: 'late_sends', every_ms: minute_ms, run: bringForward },
  { name: 'later_devices', every_ms: 5 * minute_ms, by_age: true, run: async (deps) => void (await takeLater(deps)) },
  { name: 'long_lives', every_ms: 60 * minute_ms, by_age: true, run: shortenLives },
  { name: 'object_checks', every_ms: 10 * minute_ms, by_age: true, run: checkObjects },
  { name: 'old_alerts', every_ms: 60 * minute_ms, by_age: true, run: dropOldAlerts },
  { name: 'old_batches', every_ms: 10 * minute_ms, by_age: true, run: keepBatches },
  { name: 'old_exports', every_ms: 10 * minute_ms, by_age: true, run: keepExports },
  { name: 'old_mails', every_ms: 60 * minute_ms, by_age: true, run: dropOldMails },
  { name: 'old_os_builds', every_ms: 60 * minute_ms, by_age: true, run: dropOldBuilds },
  { name: 'old_pushes', every_ms: 60 * minute_ms, by_age: true, run: dropOld },
  { name: 'old_recordings', every_ms: 10 * minute_ms, by_age: true, run: keepRecordings },
  { name: 'old_remote_sessions', every_ms: 60 * minute_ms, by_age: true, run: dropOldSessions },
  { name: 'online_samples', every_ms: 5 * minute_ms, by_age: true, run: sampleOnline },
  { name: 'remote_sessions', every_ms: 10 * second_ms, by_age: true, run: keepSessions },
  { name: 'os_days', every_ms: 60 * minute_ms, run: noteDay },
  { name: 'partitions', every_ms: 6 * 60 * minute_ms, run: ensurePartitions },
  {
    name: 'push_deadlines',
    every_ms: 30 * second_ms,
    by_age: true,
    run: async (deps) => void (await failOverdue(deps)),
  },
  pushNews,
  { name: 'push_schedules', every_ms: 5 * second_ms, by_age: true, run: runSchedules },
  {
    name: 'unclaimed_uploads',
    every_ms: 10 * minute_ms,
    by_age: true,
    run: async (deps) => void (await purgeUploads(deps)),
  },
]
