import { account } from './calls/account.ts'
import { activation, opsActivation } from './calls/activation.ts'
import { alert, alertRule } from './calls/alert.ts'
import { appCenter, opsPlatformApk } from './calls/app_center.ts'
import { appRequirement } from './calls/app_requirement.ts'
import { apiToken } from './calls/api_token.ts'
import { configFile } from './calls/config_file.ts'
import { configProfile } from './calls/config_profile.ts'
import { customField } from './calls/custom_field.ts'
import { electronicFence } from './calls/electronic_fence.ts'
import { opsAppCenter, opsContentReport, opsFileDisk } from './calls/disk_space.ts'
import { fileCloud, opsPlatformFile } from './calls/file_cloud.ts'
import { istageCode } from './calls/istage_code.ts'
import { istageConfig, istageTemplate, opsIstageTemplate } from './calls/istage.ts'
import { listExport } from './calls/list_export.ts'
import { listReport } from './calls/list_report.ts'
import { login } from './calls/login.ts'
import { menuTree, opsMenuTree } from './calls/menu_tree.ts'
import { operationLog, opsOperationLog } from './calls/operation_log.ts'
import { opsAccount } from './calls/ops_account.ts'
import { opsHome, opsTerminal } from './calls/ops_terminal.ts'
import {
  opsClientCode,
  opsExtended,
  opsHardware,
  opsLanguage,
  opsRamMemory,
  opsRomMemory,
  opsScreen,
  opsSolution,
} from './calls/os_information.ts'
import { opsOperationTask } from './calls/operation_task.ts'
import { opsOsMdmApi } from './calls/os_mdm_api.ts'
import { osCustom } from './calls/os_custom.ts'
import { opsOscsBase, opsOscsModel } from './calls/oscs_base.ts'
import { opsUid } from './calls/os_uid.ts'
import { opsOsVersion } from './calls/os_version.ts'
import { osVersion } from './calls/os_version_fleet.ts'
import { opsPolicy } from './calls/policy.ts'
import { pushSchedule } from './calls/push_schedule.ts'
import { pushTask } from './calls/push_task.ts'
import { maintenanceWindow } from './calls/maintenance_window.ts'
import { pushTemplate } from './calls/push_template.ts'
import { opsRole, role } from './calls/role.ts'
import { software } from './calls/software.ts'
import { subAccount } from './calls/sub_account.ts'
import { terminal } from './calls/terminal.ts'
import { terminalDynamicGroup } from './calls/terminal_dynamic_group.ts'
import { opsTerminalBatch, terminalBatch } from './calls/terminal_batch.ts'
import { terminalApp } from './calls/terminal_app.ts'
import { terminalExport } from './calls/terminal_export.ts'
import { opsTerminalConfig } from './calls/ops_terminal_config.ts'
import { terminalConfig } from './calls/terminal_config.ts'
import { terminalFile } from './calls/terminal_file.ts'
import { terminalGroup, terminalGroupUserManaged } from './calls/terminal_group.ts'
import { terminalScrap } from './calls/terminal_scrap.ts'
import { terminalQrcode } from './calls/terminal_qrcode.ts'
import { terminalLocation } from './calls/terminal_location.ts'
import { terminalLost } from './calls/terminal_lost.ts'
import { terminalLog } from './calls/terminal_log.ts'
import { terminalRemote } from './calls/terminal_remote.ts'
import { terminalTelemetry } from './calls/terminal_telemetry.ts'
import { opsInsideUser, userAccount } from './calls/user_account.ts'
import { opsWebhook, webhook } from './calls/webhook.ts'

/** The whole contract. The key is the name by which code refers to a group; its wire path is in the rows. */
export const contract = {
  login,
  account,
  apiToken,
  subAccount,
  userAccount,
  role,
  opsAccount,
  opsInsideUser,
  opsRole,
  opsFileDisk,
  opsAppCenter,
  opsContentReport,
  opsTerminal,
  opsHome,
  opsOperationTask,
  menuTree,
  opsMenuTree,
  terminal,
  terminalQrcode,
  terminalBatch,
  opsTerminalBatch,
  opsPolicy,
  terminalGroup,
  terminalGroupUserManaged,
  terminalDynamicGroup,
  customField,
  terminalExport,
  terminalScrap,
  terminalFile,
  terminalApp,
  terminalLog,
  terminalRemote,
  terminalLocation,
  terminalLost,
  terminalConfig,
  opsTerminalConfig,
  configFile,
  configProfile,
  istageTemplate,
  opsIstageTemplate,
  istageConfig,
  istageCode,
  electronicFence,
  alert,
  alertRule,
  terminalTelemetry,
  pushTask,
  pushSchedule,
  maintenanceWindow,
  pushTemplate,
  appCenter,
  appRequirement,
  software,
  opsPlatformApk,
  fileCloud,
  opsPlatformFile,
  operationLog,
  opsOperationLog,
  webhook,
  opsWebhook,
  listExport,
  listReport,
  opsSolution,
  opsHardware,
  opsRomMemory,
  opsRamMemory,
  opsScreen,
  opsExtended,
  opsLanguage,
  opsClientCode,
  opsUid,
  opsOsMdmApi,
  opsOsVersion,
  osVersion,
  opsOscsModel,
  opsOscsBase,
  osCustom,
  activation,
  opsActivation,
} as const
export type Contract = typeof contract
export type GroupKey = keyof Contract
export type CallKey<G extends GroupKey> = keyof Contract[G]['calls'] & string
