import type { SchemaMigration } from '../migrate.ts'
import * as people from './0001_people.ts'
import * as devices from './0002_devices.ts'
import * as enrolment from './0003_enrolment.ts'
import * as telemetry from './0004_telemetry.ts'
import * as content from './0005_content.ts'
import * as push from './0006_push.ts'
import * as configuration from './0007_configuration.ts'
import * as os from './0008_os.ts'
import * as watch from './0009_watch.ts'
import * as system from './0010_system.ts'
import * as claims from './0011_claims.ts'
import * as istage from './0012_istage.ts'
import * as staging from './0013_staging.ts'
import * as activation from './0014_activation.ts'
import * as apiAuthorisation from './0015_api_authorisation.ts'
import * as checkIns from './0016_check_ins.ts'
import * as remoteHands from './0017_remote_hands.ts'
import * as agentsOfOthers from './0018_agents_of_others.ts'
import * as activationMemory from './0019_activation_memory.ts'
import * as deliveries from './0020_deliveries.ts'
import * as remoteHistory from './0021_remote_history.ts'
import * as osFormats from './0022_os_formats.ts'
import * as waitingDevices from './0023_waiting_devices.ts'
import * as capabilities from './0024_capabilities.ts'
import * as pushTargets from './0025_push_targets.ts'
import * as remoteFiles from './0026_remote_files.ts'
import * as uploadsOfManyNodes from './0027_uploads_of_many_nodes.ts'
import * as nodes from './0028_nodes.ts'
import * as pushNames from './0029_push_names.ts'
import * as deliveryQueue from './0030_delivery_queue.ts'
import * as targetTokens from './0031_target_tokens.ts'
import * as lostDevices from './0032_lost_devices.ts'
import * as profiles from './0033_profiles.ts'
import * as pushFacts from './0034_push_facts.ts'
import * as rulesAndFences from './0035_rules_and_fences.ts'
import * as passwordLinks from './0036_password_links.ts'
import * as passkeys from './0037_passkeys.ts'
import * as toldPushes from './0038_told_pushes.ts'
import * as serverStatus from './0039_server_status.ts'
import * as asleep from './0040_asleep.ts'
import * as alertWork from './0041_alert_work.ts'
import * as deviceNews from './0042_device_news.ts'
import * as listReports from './0043_list_reports.ts'
import * as plannedPushes from './0044_planned_pushes.ts'
import * as rows_of_sheets from './0045_rows_of_sheets.ts'
import * as maintenanceWindows from './0046_maintenance_windows.ts'

/** Every migration in order of its name; a released one never changes (releases.test.ts). The first ten are an area each. */
export const migrations: Record<string, SchemaMigration> = {
  '0001_people': people,
  '0002_devices': devices,
  '0003_enrolment': enrolment,
  '0004_telemetry': telemetry,
  '0005_content': content,
  '0006_push': push,
  '0007_configuration': configuration,
  '0008_os': os,
  '0009_watch': watch,
  '0010_system': system,
  '0011_claims': claims,
  '0012_istage': istage,
  '0013_staging': staging,
  '0014_activation': activation,
  '0015_api_authorisation': apiAuthorisation,
  '0016_check_ins': checkIns,
  '0017_remote_hands': remoteHands,
  '0018_agents_of_others': agentsOfOthers,
  '0019_activation_memory': activationMemory,
  '0020_deliveries': deliveries,
  '0021_remote_history': remoteHistory,
  '0022_os_formats': osFormats,
  '0023_waiting_devices': waitingDevices,
  '0024_capabilities': capabilities,
  '0025_push_targets': pushTargets,
  '0026_remote_files': remoteFiles,
  '0027_uploads_of_many_nodes': uploadsOfManyNodes,
  '0028_nodes': nodes,
  '0029_push_names': pushNames,
  '0030_delivery_queue': deliveryQueue,
  '0031_target_tokens': targetTokens,
  '0032_lost_devices': lostDevices,
  '0033_profiles': profiles,
  '0034_push_facts': pushFacts,
  '0035_rules_and_fences': rulesAndFences,
  '0036_password_links': passwordLinks,
  '0037_passkeys': passkeys,
  '0038_told_pushes': toldPushes,
  '0039_server_status': serverStatus,
  '0040_asleep': asleep,
  '0041_alert_work': alertWork,
  '0042_device_news': deviceNews,
  '0043_list_reports': listReports,
  '0044_planned_pushes': plannedPushes,
  '0045_rows_of_sheets': rows_of_sheets,
  '0046_maintenance_windows': maintenanceWindows,
}
