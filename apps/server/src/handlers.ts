import type { GroupKey } from '@mdm/contract'
import type { Handlers } from './http/context.ts'
import type { AllHandlers } from './http/mount.ts'
import { accountCalls } from './modules/account/calls.ts'
import { alertCalls, alertRuleCalls } from './modules/alert/calls.ts'
import { apiTokenCalls } from './modules/api-token/calls.ts'
import { appCenterCalls, opsPlatformApkCalls } from './modules/app-center/calls.ts'
import { appRequirementCalls } from './modules/app-requirement/calls.ts'
import { opsAccountCalls } from './modules/customer/calls.ts'
import { configFileCalls } from './modules/config-file/calls.ts'
import { customFieldCalls } from './modules/custom-field/calls.ts'
import { opsAppCenterCalls, opsContentReportCalls, opsFileDiskCalls } from './modules/disk-space/calls.ts'
import { electronicFenceCalls } from './modules/electronic-fence/calls.ts'
import { terminalQrcodeCalls } from './modules/enrolment/calls.ts'
import { fileCloudCalls, opsPlatformFileCalls } from './modules/file-cloud/calls.ts'
import { listExportCalls } from './modules/list-export/calls.ts'
import { loginCalls } from './modules/login/calls.ts'
import { menuTreeCalls, opsMenuTreeCalls } from './modules/menu-tree/calls.ts'
import { operationLogCalls, opsOperationLogCalls } from './modules/operation-log/calls.ts'
import { opsHomeCalls } from './modules/ops-home/calls.ts'
import { opsTerminalCalls } from './modules/ops-terminal/calls.ts'
import { opsPolicyCalls } from './modules/policy/calls.ts'
import { pushScheduleCalls } from './modules/push-schedule/calls.ts'
import {
  clientCodeCalls,
  extendedCalls,
  hardwareCalls,
  languageCalls,
  ramMemoryCalls,
  romMemoryCalls,
  screenCalls,
  solutionCalls,
} from './modules/os-information/calls.ts'
import { opsOsVersionCalls, osVersionCalls } from './modules/os-version/calls.ts'
import { osCustomCalls } from './modules/os-custom/calls.ts'
import { opsOscsBaseCalls, opsOscsModelCalls } from './modules/oscs-base/calls.ts'
import { opsUidCalls } from './modules/os-uid/calls.ts'
import { pushTaskCalls } from './modules/push-task/calls.ts'
import { pushTemplateCalls } from './modules/push-template/calls.ts'
import { opsRoleCalls, roleCalls } from './modules/role/calls.ts'
import { softwareCalls } from './modules/software/calls.ts'
import { subAccountCalls } from './modules/sub-account/calls.ts'
import { terminalDynamicGroupCalls } from './modules/terminal-dynamic-group/calls.ts'
import { terminalAppCalls } from './modules/terminal-app/calls.ts'
import { terminalExportCalls } from './modules/terminal-export/calls.ts'
import { opsTerminalConfigCalls, terminalConfigCalls } from './modules/terminal-config/calls.ts'
import { terminalFileCalls } from './modules/terminal-file/calls.ts'
import { terminalTelemetryCalls } from './modules/terminal-telemetry/calls.ts'
import { opsTerminalBatchCalls, terminalBatchCalls } from './modules/terminal-batch/calls.ts'
import { hitByGroupMove, hitByGroupRemoval } from './modules/terminal-config/service.ts'
import { terminalGroupCalls, terminalGroupUserManagedCalls } from './modules/terminal-group/calls.ts'
import { terminalLocationCalls } from './modules/terminal-location/calls.ts'
import { terminalLogCalls } from './modules/terminal-log/calls.ts'
import { terminalCalls, terminalScrapCalls } from './modules/terminal/calls.ts'
import { opsInsideUserCalls, userAccountCalls } from './modules/user-account/calls.ts'
import { opsWebhookCalls, webhookCalls } from './modules/webhook/calls.ts'

/** Who answers what. A group of the contract without its handlers does not compile. */
const typed: { [G in GroupKey]: Handlers<G> } = {
  login: loginCalls,
  account: accountCalls,
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
  terminalConfig: terminalConfigCalls,
  opsTerminalConfig: opsTerminalConfigCalls,
  configFile: configFileCalls,
  electronicFence: electronicFenceCalls,
  alert: alertCalls,
  alertRule: alertRuleCalls,
  terminalTelemetry: terminalTelemetryCalls,
  terminalLocation: terminalLocationCalls,
  pushTask: pushTaskCalls,
  pushSchedule: pushScheduleCalls,
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
  opsSolution: solutionCalls,
  opsHardware: hardwareCalls,
  opsRomMemory: romMemoryCalls,
  opsRamMemory: ramMemoryCalls,
  opsScreen: screenCalls,
  opsExtended: extendedCalls,
  opsLanguage: languageCalls,
  opsClientCode: clientCodeCalls,
  opsUid: opsUidCalls,
  opsOsVersion: opsOsVersionCalls,
  osVersion: osVersionCalls,
  opsOscsModel: opsOscsModelCalls,
  opsOscsBase: opsOscsBaseCalls,
  osCustom: osCustomCalls,
}
/** `mount` pairs each handler with its own row, whose types it can no longer see. */
export const handlers = typed as unknown as AllHandlers
