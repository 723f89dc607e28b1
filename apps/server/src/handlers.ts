import type { GroupKey } from '@mdm/contract'
import type { Handlers } from './http/context.ts'
import type { AllHandlers } from './http/mount.ts'
import { accountCalls } from './modules/people/account/calls.ts'
import { alertCalls, alertRuleCalls } from './modules/watch/alert/calls.ts'
import { apiTokenCalls } from './modules/people/api-token/calls.ts'
import { appCenterCalls, opsPlatformApkCalls } from './modules/catalogue/app-center/calls.ts'
import { appRequirementCalls } from './modules/catalogue/app-requirement/calls.ts'
import { opsAccountCalls } from './modules/people/customer/calls.ts'
import { configFileCalls } from './modules/configuration/config-file/calls.ts'
import { customFieldCalls } from './modules/fleet/custom-field/calls.ts'
import { opsAppCenterCalls, opsContentReportCalls, opsFileDiskCalls } from './modules/store/disk-space/calls.ts'
import { electronicFenceCalls } from './modules/configuration/electronic-fence/calls.ts'
import { terminalQrcodeCalls } from './modules/fleet/enrolment/calls.ts'
import { fileCloudCalls, opsPlatformFileCalls } from './modules/store/file-cloud/calls.ts'
import { listExportCalls } from './modules/watch/list-export/calls.ts'
import { listReportCalls } from './modules/watch/list-report/calls.ts'
import { loginCalls } from './modules/people/login/calls.ts'
import { menuTreeCalls, opsMenuTreeCalls } from './modules/people/menu-tree/calls.ts'
import { operationLogCalls, opsOperationLogCalls } from './modules/watch/operation-log/calls.ts'
import { opsHomeCalls } from './modules/watch/ops-home/calls.ts'
import { opsTerminalCalls } from './modules/watch/ops-terminal/calls.ts'
import { opsPolicyCalls } from './modules/fleet/policy/calls.ts'
import { pushScheduleCalls } from './modules/push/push-schedule/calls.ts'
import { istageCodeCalls } from './modules/configuration/istage-code/calls.ts'
import { istageConfigCalls, istageTemplateCalls, opsIstageTemplateCalls } from './modules/configuration/istage/calls.ts'
import { activationCalls, opsActivationCalls } from './modules/people/activation/calls.ts'
import {
  clientCodeCalls,
  extendedCalls,
  hardwareCalls,
  languageCalls,
  ramMemoryCalls,
  romMemoryCalls,
  screenCalls,
  solutionCalls,
} from './modules/catalogue/os-information/calls.ts'
import { opsOsVersionCalls, osVersionCalls } from './modules/catalogue/os-version/calls.ts'
import { osCustomCalls } from './modules/catalogue/os-custom/calls.ts'
import { opsOscsBaseCalls, opsOscsModelCalls } from './modules/catalogue/oscs-base/calls.ts'
import { opsUidCalls } from './modules/catalogue/os-uid/calls.ts'
import { pushTaskCalls } from './modules/push/push-task/calls.ts'
import { maintenanceWindowCalls } from './modules/configuration/maintenance-window/calls.ts'
import { pushTemplateCalls } from './modules/push/push-template/calls.ts'
import { opsRoleCalls, roleCalls } from './modules/people/role/calls.ts'
import { softwareCalls } from './modules/catalogue/software/calls.ts'
import { subAccountCalls } from './modules/people/sub-account/calls.ts'
import { terminalDynamicGroupCalls } from './modules/fleet/terminal-dynamic-group/calls.ts'
import { terminalAppCalls } from './modules/devices/terminal-app/calls.ts'
import { terminalExportCalls } from './modules/watch/terminal-export/calls.ts'
import { configProfileCalls } from './modules/configuration/config-profile/calls.ts'
import { opsTerminalConfigCalls, terminalConfigCalls } from './modules/configuration/terminal-config/calls.ts'
import { terminalFileCalls } from './modules/devices/terminal-file/calls.ts'
import { terminalTelemetryCalls } from './modules/devices/terminal-telemetry/calls.ts'
import { opsTerminalBatchCalls, terminalBatchCalls } from './modules/fleet/terminal-batch/calls.ts'
import { hitByGroupMove, hitByGroupRemoval } from './modules/configuration/terminal-config/index.ts'
import { terminalGroupCalls, terminalGroupUserManagedCalls } from './modules/fleet/terminal-group/calls.ts'
import { terminalLocationCalls } from './modules/devices/terminal-location/calls.ts'
import { terminalLostCalls } from './modules/devices/terminal-lost/calls.ts'
import { terminalLogCalls } from './modules/devices/terminal-log/calls.ts'
import { terminalRemoteCalls } from './modules/devices/terminal-remote/calls.ts'
import { terminalCalls, terminalScrapCalls } from './modules/devices/terminal/calls.ts'
import { opsInsideUserCalls, userAccountCalls } from './modules/people/user-account/calls.ts'
import { opsWebhookCalls, webhookCalls } from './modules/watch/webhook/calls.ts'
import { opsOperationTaskCalls } from './modules/watch/operation-task/calls.ts'
import { opsOsMdmApiCalls } from './modules/configuration/api-authorisation/calls.ts'

/** Who answers what. A group of the contract without its handlers does not compile. */
const typed: { [G in GroupKey]: Handlers<G> } = {
  login: loginCalls,
  account: accountCalls,
  activation: activationCalls,
  opsActivation: opsActivationCalls,
  apiToken: apiTokenCalls,
  subAccount: subAccountCalls,
  userAccount: userAccountCalls,
  role: roleCalls,
  opsAccount: opsAccountCalls,
  opsInsideUser: opsInsideUserCalls,
  opsRole: opsRoleCalls,
  opsFileDisk: opsFileDiskCalls,
  opsAppCenter: opsAppCenterCalls,
  opsContentReport: opsContentReportCalls,
  opsTerminal: opsTerminalCalls,
  opsHome: opsHomeCalls,
  opsOperationTask: opsOperationTaskCalls,
  menuTree: menuTreeCalls,
  opsMenuTree: opsMenuTreeCalls,
  terminal: terminalCalls,
  terminalQrcode: terminalQrcodeCalls,
  terminalBatch: terminalBatchCalls,
  opsTerminalBatch: opsTerminalBatchCalls,
  opsPolicy: opsPolicyCalls,
  terminalGroup: terminalGroupCalls({ move: hitByGroupMove, remove: hitByGroupRemoval }),
  terminalGroupUserManaged: terminalGroupUserManagedCalls,
  terminalDynamicGroup: terminalDynamicGroupCalls,
  customField: customFieldCalls,
  terminalExport: terminalExportCalls,
  terminalScrap: terminalScrapCalls,
  terminalFile: terminalFileCalls,
  terminalApp: terminalAppCalls,
  terminalLog: terminalLogCalls,
  terminalRemote: terminalRemoteCalls,
  configProfile: configProfileCalls,
  terminalConfig: terminalConfigCalls,
  opsTerminalConfig: opsTerminalConfigCalls,
  configFile: configFileCalls,
  istageTemplate: istageTemplateCalls,
  opsIstageTemplate: opsIstageTemplateCalls,
  istageConfig: istageConfigCalls,
  electronicFence: electronicFenceCalls,
  istageCode: istageCodeCalls,
  alert: alertCalls,
  alertRule: alertRuleCalls,
  terminalTelemetry: terminalTelemetryCalls,
  terminalLocation: terminalLocationCalls,
  terminalLost: terminalLostCalls,
  pushTask: pushTaskCalls,
  pushSchedule: pushScheduleCalls,
  maintenanceWindow: maintenanceWindowCalls,
  pushTemplate: pushTemplateCalls,
  appCenter: appCenterCalls,
  appRequirement: appRequirementCalls,
  software: softwareCalls,
  opsPlatformApk: opsPlatformApkCalls,
  fileCloud: fileCloudCalls,
  opsPlatformFile: opsPlatformFileCalls,
  operationLog: operationLogCalls,
  opsOperationLog: opsOperationLogCalls,
  webhook: webhookCalls,
  opsWebhook: opsWebhookCalls,
  listExport: listExportCalls,
  listReport: listReportCalls,
  opsSolution: solutionCalls,
  opsHardware: hardwareCalls,
  opsRomMemory: romMemoryCalls,
  opsRamMemory: ramMemoryCalls,
  opsScreen: screenCalls,
  opsExtended: extendedCalls,
  opsLanguage: languageCalls,
  opsClientCode: clientCodeCalls,
  opsUid: opsUidCalls,
  opsOsMdmApi: opsOsMdmApiCalls,
  opsOsVersion: opsOsVersionCalls,
  osVersion: osVersionCalls,
  opsOscsModel: opsOscsModelCalls,
  opsOscsBase: opsOscsBaseCalls,
  osCustom: osCustomCalls,
}
/** `mount` pairs each handler with its own row, whose types it can no longer see. */
export const handlers = typed as unknown as AllHandlers
