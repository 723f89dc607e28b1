import type { Migration } from 'kysely'
import * as foundation from './0001_foundation.ts'
import * as administration from './0002_administration.ts'
import * as enrolment from './0003_enrolment.ts'
import * as bulk from './0004_bulk.ts'
import * as list from './0005_list.ts'
import * as deviceFiles from './0006_device_files.ts'
import * as life from './0007_life.ts'
import * as deviceExport from './0008_export.ts'
import * as location from './0009_location.ts'
import * as telemetry from './0010_telemetry.ts'
import * as scrapWait from './0011_scrap_wait.ts'
import * as uploadSpace from './0012_upload_space.ts'
import * as clockSeen from './0013_clock_seen.ts'
import * as signIn from './0014_sign_in.ts'
import * as audit from './0015_audit.ts'
import * as refusals from './0016_refusals.ts'
import * as link from './0017_link.ts'
import * as texts from './0018_texts.ts'
import * as quarantine from './0019_quarantine.ts'
import * as pushes from './0021_pushes.ts'
import * as osInformation from './0022_os_information.ts'
import * as appCenter from './0024_app_center.ts'
import * as installedApps from './0025_installed_apps.ts'
import * as appPushes from './0026_app_pushes.ts'
import * as requiredApps from './0027_required_apps.ts'
import * as fileFolders from './0029_file_folders.ts'
import * as uploadFingerprints from './0030_upload_fingerprints.ts'
import * as objectChecks from './0031_object_checks.ts'
import * as uploadedResults from './0031_uploaded_results.ts'
import * as osVersions from './0032_os_versions.ts'
import * as osPushes from './0033_os_pushes.ts'
import * as configurations from './0036_configurations.ts'
import * as configFiles from './0037_config_files.ts'
import * as fence from './0040_fence.ts'
import * as alert from './0041_alert.ts'
import * as oscsBase from './0042_oscs_base.ts'
import * as osCustom from './0043_os_custom.ts'
import * as osDeltas from './0045_os_deltas.ts'
import * as osOfflineKeys from './0046_os_offline_keys.ts'
import * as configSteps from './0047_config_steps.ts'
import * as appSplits from './0050_app_splits.ts'
import * as alert_makers from './0055_alert_makers.ts'
import * as pushCancels from './0058_push_cancels.ts'
import * as pushActivityMonths from './0059_push_activity_months.ts'
import * as appSettings from './0060_app_settings.ts'
import * as alertMailFaults from './0066_alert_mail_faults.ts'
import * as pushRetries from './0070_push_retries.ts'
import * as pushListsInPieces from './0071_push_lists_in_pieces.ts'
import * as announcementAges from './0085_announcement_ages.ts'
import * as pushApproval from './0095_push_approval.ts'
import * as orderTokens from './0096_order_tokens.ts'
import * as pageTitles from './0099_page_titles.ts'
import * as serialNumbers from './0100_serial_numbers.ts'
import * as livingMachines from './0101_living_machines.ts'
import * as brakes from './0102_brakes.ts'
import * as osRecipients from './0103_os_recipients.ts'
import * as appLeftOut from './0115_app_left_out.ts'
import * as knownBrowsers from './0125_known_browsers.ts'
import * as claims from './0126_claims.ts'
import * as heardNodes from './0127_heard_nodes.ts'
import * as sharedSpace from './0130_shared_space.ts'
import * as fenceEvents from './0131_fence_events.ts'
import * as maxPacket from './0132_max_packet.ts'
import * as brokerSessions from './0133_broker_sessions.ts'
import * as linkReplies from './0134_link_replies.ts'
import * as configOwing from './0135_config_owing.ts'

/** Every migration in order of its name; a released one never changes. */
export const migrations: Record<string, Migration> = {
  '0001_foundation': foundation,
  '0002_administration': administration,
  '0003_enrolment': enrolment,
  '0004_bulk': bulk,
  '0005_list': list,
  '0006_device_files': deviceFiles,
  '0007_life': life,
  '0008_export': deviceExport,
  '0009_location': location,
  '0010_telemetry': telemetry,
  '0011_scrap_wait': scrapWait,
  '0012_upload_space': uploadSpace,
  '0013_clock_seen': clockSeen,
  '0014_sign_in': signIn,
  '0015_audit': audit,
  '0016_refusals': refusals,
  '0017_link': link,
  '0018_texts': texts,
  '0019_quarantine': quarantine,
  '0021_pushes': pushes,
  '0022_os_information': osInformation,
  '0024_app_center': appCenter,
  '0025_installed_apps': installedApps,
  '0026_app_pushes': appPushes,
  '0027_required_apps': requiredApps,
  '0029_file_folders': fileFolders,
  '0030_upload_fingerprints': uploadFingerprints,
  '0031_object_checks': objectChecks,
  '0031_uploaded_results': uploadedResults,
  '0032_os_versions': osVersions,
  '0033_os_pushes': osPushes,
  '0036_configurations': configurations,
  '0037_config_files': configFiles,
  '0040_fence': fence,
  '0041_alert': alert,
  '0042_oscs_base': oscsBase,
  '0043_os_custom': osCustom,
  '0045_os_deltas': osDeltas,
  '0046_os_offline_keys': osOfflineKeys,
  '0047_config_steps': configSteps,
  '0050_app_splits': appSplits,
  '0055_alert_makers': alert_makers,
  '0058_push_cancels': pushCancels,
  '0059_push_activity_months': pushActivityMonths,
  '0060_app_settings': appSettings,
  '0066_alert_mail_faults': alertMailFaults,
  '0070_push_retries': pushRetries,
  '0071_push_lists_in_pieces': pushListsInPieces,
  '0085_announcement_ages': announcementAges,
  '0095_push_approval': pushApproval,
  '0096_order_tokens': orderTokens,
  '0099_page_titles': pageTitles,
  '0100_serial_numbers': serialNumbers,
  '0101_living_machines': livingMachines,
  '0102_brakes': brakes,
  '0103_os_recipients': osRecipients,
  '0115_app_left_out': appLeftOut,
  '0125_known_browsers': knownBrowsers,
  '0126_claims': claims,
  '0127_heard_nodes': heardNodes,
  '0130_shared_space': sharedSpace,
  '0131_fence_events': fenceEvents,
  '0132_max_packet': maxPacket,
  '0133_broker_sessions': brokerSessions,
  '0134_link_replies': linkReplies,
  '0135_config_owing': configOwing,
}
