import type { ComponentType } from 'react'
import { informationKeys } from '@mdm/contract'
import type { InformationKey, PageName } from '@mdm/contract'
import type { Namespace } from '../i18n/resources.ts'
import { appRoutes } from './app-routes.tsx'
import { fileRoutes } from './file-routes.tsx'
import { simpleRoutes } from './simple-routes.tsx'

export type LazyPage = () => Promise<{ default: ComponentType }>
export type Route = {
  page: LazyPage
  /** Catalogues loaded together with the page. */
  texts?: readonly Namespace[]
  /** Pages that name the same function share its component around them: tabs of one record. */
  layout?: LazyPage
}

const deviceDetail: LazyPage = () => import('../features/device-detail/DeviceDetailPage.tsx')

const informationLayout: LazyPage = () => import('../features/os-information/InformationLists.tsx')
type InformationPage = `informationList${Capitalize<InformationKey>}` | `${InformationKey}Add` | `${InformationKey}Edit`
/** The screens of the lists that a UID is made of, which the contract declares. */
const informationRoutes = Object.fromEntries(
  informationKeys.flatMap((key) => {
    const { list, add, edit } = simpleRoutes('os-information', async () => {
      const { resources } = await import('../features/os-information/resources.tsx')
      return { resource: resources[key] }
    })
    return [
      [`informationList${key.charAt(0).toUpperCase()}${key.slice(1)}`, { ...list, layout: informationLayout }],
      [`${key}Add`, add],
      [`${key}Edit`, edit],
    ]
  }),
) as Record<InformationPage, Route>
/** Steps of an OS version: the same page for a new one and for one that is there. */
const osSteps = {
  create: { page: () => import('../features/os-version/steps/CreateStep.tsx'), texts: ['os-version'] },
  upload: { page: () => import('../features/os-version/steps/UploadStep.tsx'), texts: ['os-version'] },
  release: { page: () => import('../features/os-version/steps/ReleaseStep.tsx'), texts: ['os-version'] },
  complete: { page: () => import('../features/os-version/steps/CompleteStep.tsx'), texts: ['os-version'] },
} as const satisfies Record<string, Route>
const osCustom: Route = {
  page: () => import('../features/os-custom/CustomPage.tsx'),
  texts: ['os-custom', 'os-offline', 'upload'],
}
/** A configuration is pushed where it stands: what a push asks comes along. */
const pushed = [
  'istage',
  'istage/codes',
  'device',
  'configure',
  'configure/edit',
  'device-filters',
  'devices-picker',
  'push-task/wizard',
] as const
const istageConfig: Route = { page: () => import('../features/istage/ConfigPage.tsx'), texts: pushed }
const oscsModel: Route = { page: () => import('../features/oscs-base/ModelPage.tsx'), texts: ['oscs-base', 'upload'] }
const oscsBase: Route = { page: () => import('../features/oscs-base/BasePage.tsx'), texts: ['oscs-base', 'upload'] }
const appCenter = appRoutes('account')
const platformApk = appRoutes('platform')
const fileCloud = fileRoutes('account')
const platformFile = fileRoutes('platform')

/** The component of every page. Path, title, permission and links of a page are in the contract (`pages`). */
export const routes: Readonly<Record<PageName, Route>> = {
  login: { page: () => import('../features/sign-in/SignInPage.tsx'), texts: ['sign-in'] },
  setPassword: { page: () => import('../features/sign-in/SetPasswordPage.tsx'), texts: ['sign-in'] },
  notFound: { page: () => import('../features/errors/NotFoundPage.tsx') },
  redirect: { page: () => import('../features/errors/RedirectPage.tsx') },
  homeIndex: { page: () => import('../features/home/HomePage.tsx'), texts: ['home', 'accounts'] },
  accountIndex: {
    page: () => import('../features/account-info/AccountInfoPage.tsx'),
    texts: ['account-info', 'permission-tree'],
  },
  deviceList: {
    page: () => import('../features/devices/DevicesPage.tsx'),
    texts: ['devices', 'device-filters', 'device', 'push', 'devices/enrolment', 'configure'],
  },
  pushTaskList: {
    page: () => import('../features/push-task/PushTasksPage.tsx'),
    texts: ['push-task', 'push', 'push-task/task'],
  },
  pushTaskAdd: {
    page: () => import('../features/push-task/AddPushPage.tsx'),
    texts: ['push-task', 'push', 'push-task/wizard', 'devices-picker', 'device', 'device-filters'],
  },
  pushTaskEdit: {
    page: () => import('../features/push-task/EditPushPage.tsx'),
    texts: ['push-task', 'push', 'push-task/wizard', 'devices-picker', 'device', 'device-filters'],
  },
  pushTaskDetail: {
    page: () => import('../features/push-task/PushTaskPage.tsx'),
    texts: ['push-task', 'push', 'push-task/task'],
  },
  alertList: { page: () => import('../features/alert/AlertsPage.tsx'), texts: ['alert'] },
  alertRuleList: {
    page: () => import('../features/alert/RulesPage.tsx'),
    texts: ['alert', 'device', 'device-filters', 'devices-picker'],
  },
  electronicFenceList: {
    page: () => import('../features/electronic-fence/FencesPage.tsx'),
    texts: ['electronic-fence', 'map', 'device', 'devices-picker', 'device-event', 'push'],
  },
  deviceDetailInfo: {
    page: () => import('../features/device-detail/info/InfoPage.tsx'),
    texts: ['device-detail', 'device-event', 'device-filters', 'device', 'push'],
    layout: deviceDetail,
  },
  deviceDetailTask: {
    page: () => import('../features/device-detail/push/TaskPage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'push-task/task'],
    layout: deviceDetail,
  },
  deviceDetailPushMessage: {
    page: () => import('../features/device-detail/push/PushMessagePage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'push-task/task'],
    layout: deviceDetail,
  },
  deviceDetailConfig: {
    page: () => import('../features/device-detail/config/ConfigPage.tsx'),
    texts: [
      'device-detail',
      'device-filters',
      'device',
      'push',
      'configure',
      'configure/edit',
      'push-task/task',
      'push-task/wizard',
      'devices-picker',
    ],
    layout: deviceDetail,
  },
  configurePushList: {
    page: () => import('../features/configure/ConfigurationsPage.tsx'),
    texts: [
      'device',
      'configure',
      'configure/edit',
      'push',
      'push-task/task',
      'push-task/wizard',
      'devices-picker',
      'device-filters',
    ],
  },
  configureLevel: {
    page: () => import('../features/configure/LevelPage.tsx'),
    texts: [
      'device',
      'configure',
      'configure/edit',
      'push',
      'push-task/task',
      'push-task/wizard',
      'devices-picker',
      'device-filters',
    ],
  },
  istageConfigCode: { page: () => import('../features/istage/codes/CodesPage.tsx'), texts: ['istage/codes'] },
  configureFilePushList: {
    page: () => import('../features/config-file/ConfigFilesPage.tsx'),
    texts: ['config-file'],
  },
  configureFilePushAdd: {
    page: () => import('../features/config-file/AddConfigFilePage.tsx'),
    texts: ['config-file'],
  },
  configureFilePush: {
    page: () => import('../features/config-file/ConfigFilePushPage.tsx'),
    texts: ['config-file', 'push', 'push-task/task', 'push-task/wizard', 'devices-picker', 'device', 'device-filters'],
  },
  platformConfig: {
    page: () => import('../features/configure/PlatformConfigPage.tsx'),
    texts: ['device', 'configure', 'configure/edit'],
  },
  deviceDetailApp: {
    page: () => import('../features/device-detail/app/AppPage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'device-detail/files'],
    layout: deviceDetail,
  },
  deviceDetailFileManager: {
    page: () => import('../features/device-detail/files/FileManagerPage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'device-detail/files'],
    layout: deviceDetail,
  },
  deviceDetailRun: {
    page: () => import('../features/device-detail/telemetry/RunPage.tsx'),
    texts: [
      'device-detail',
      'device-event',
      'device-filters',
      'device',
      'push',
      'device-detail/files',
      'device-detail/telemetry',
    ],
    layout: deviceDetail,
  },
  deviceDetailEvent: {
    page: () => import('../features/device-detail/event/EventPage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'device-event'],
    layout: deviceDetail,
  },
  deviceDetailLocation: {
    page: () => import('../features/device-detail/location/LocationPage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'map'],
    layout: deviceDetail,
  },
  deviceDetailFsCapture: {
    page: () => import('../features/device-detail/captures/FsCapturePage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push'],
    layout: deviceDetail,
  },
  deviceDetailRemote: {
    page: () => import('../features/remote/RemotePage.tsx'),
    texts: ['device-detail', 'device-filters', 'device', 'push', 'device-detail/files', 'remote'],
    layout: deviceDetail,
  },
  remoteSessionList: { page: () => import('../features/remote/sessions/RemoteSessionsPage.tsx'), texts: ['remote'] },
  appCenterList: appCenter.list,
  appCenterAdd: appCenter.add,
  appCenterDetails: appCenter.details,
  appCenterEdit: appCenter.edit,
  appCenterAddVersion: appCenter.addVersion,
  appCenterEditVersion: appCenter.editVersion,
  appRequiredList: {
    page: () => import('../features/app-requirement/AppRequirementsPage.tsx'),
    texts: ['app-requirement', 'device', 'devices-picker', 'push-task/wizard'],
  },
  softwareReport: { page: () => import('../features/software/SoftwarePage.tsx'), texts: ['software'] },
  appCenterPush: {
    page: () => import('../features/app-center/AppPushPage.tsx'),
    texts: ['push', 'push-task/wizard', 'devices-picker', 'device', 'device-filters'],
  },
  platformApkList: platformApk.list,
  platformApkAdd: platformApk.add,
  platformApkDetails: platformApk.details,
  platformApkEdit: platformApk.edit,
  platformApkAddVersion: platformApk.addVersion,
  platformApkEditVersion: platformApk.editVersion,
  fileCloudList: fileCloud.list,
  fileCloudAdd: fileCloud.add,
  fileCloudEdit: fileCloud.edit,
  fileCloudPush: {
    page: () => import('../features/file-cloud/push/FilePushPage.tsx'),
    texts: ['file-cloud', 'push', 'push-task/task', 'push-task/wizard', 'devices-picker', 'device', 'device-filters'],
  },
  operationLogList: { page: () => import('../features/operation-log/OperationLogPage.tsx'), texts: ['operation-log'] },
  opsOperationLogList: {
    page: () => import('../features/operation-log/OpsOperationLogPage.tsx'),
    texts: ['operation-log'],
  },
  subAccountManageList: {
    page: () => import('../features/sub-account/SubAccountsPage.tsx'),
    texts: ['sub-account', 'accounts'],
  },
  userManageSubAccountManageAdd: {
    page: () => import('../features/sub-account/SubAccountAddPage.tsx'),
    texts: ['sub-account', 'accounts', 'permission-tree'],
  },
  userManageSubAccountManageEdit: {
    page: () => import('../features/sub-account/SubAccountEditPage.tsx'),
    texts: ['sub-account', 'accounts', 'permission-tree'],
  },
  externalUserManageList: {
    page: () => import('../features/customer/CustomersPage.tsx'),
    texts: ['customer', 'accounts'],
  },
  mdmManageExternalUserManageAdd: {
    page: () => import('../features/customer/form/CustomerAddPage.tsx'),
    texts: ['customer', 'accounts', 'permission-tree'],
  },
  mdmManageExternalUserManageEdit: {
    page: () => import('../features/customer/form/CustomerEditPage.tsx'),
    texts: ['customer', 'accounts', 'permission-tree'],
  },
  searchList: { page: () => import('../features/search/SearchPage.tsx'), texts: ['search', 'accounts'] },
  policyList: { page: () => import('../features/policy/PolicyListPage.tsx'), texts: ['policy'] },
  activateList: {
    page: () => import('../features/private-deployment/ActivationsPage.tsx'),
    texts: ['private-deployment', 'accounts'],
  },
  privatizationGenerate: {
    page: () => import('../features/private-deployment/GeneratePage.tsx'),
    texts: ['private-deployment', 'accounts'],
  },
  privatizationConfig: {
    page: () => import('../features/private-deployment/ConfigPage.tsx'),
    texts: ['private-deployment'],
  },
  serverStatus: { page: () => import('../features/server-status/ServerStatusPage.tsx'), texts: ['server-status'] },
  platformFileList: platformFile.list,
  platformFileAdd: platformFile.add,
  platformFileEdit: platformFile.edit,
  contentReportList: {
    page: () => import('../features/content-report/ContentReportPage.tsx'),
    texts: ['content-report', 'accounts'],
  },
  ...informationRoutes,
  osIssue: { page: () => import('../features/os-version/OsVersionsPage.tsx'), texts: ['os-version', 'os-offline'] },
  osIssueOsDetail: {
    page: () => import('../features/os-version/OsVersionPage.tsx'),
    texts: ['os-version', 'os-offline'],
  },
  osIssueIssueCreateOs: osSteps.create,
  osIssueIssueCreateOsEdit: osSteps.create,
  osIssueUploadOs: osSteps.upload,
  osIssueUploadOsEdit: osSteps.upload,
  osIssueReleaseOs: osSteps.release,
  osIssueReleaseOsEdit: osSteps.release,
  osIssueCompleteOs: osSteps.complete,
  osIssueCompleteOsEdit: osSteps.complete,
  userOsPushList: {
    page: () => import('../features/os-push/OsPushListPage.tsx'),
    texts: ['os-push', 'push', 'push-task/task'],
  },
  userOsPush: {
    page: () => import('../features/os-push/OsPushPage.tsx'),
    texts: ['os-push', 'push', 'push-task/task', 'push-task/wizard', 'devices-picker', 'device', 'device-filters'],
  },
  userOsCustomList: { page: () => import('../features/os-custom/CustomsPage.tsx'), texts: ['os-custom', 'os-offline'] },
  userOsCustomAdd: osCustom,
  userOsCustomEdit: osCustom,
  userOsCustomApp: {
    page: () => import('../features/os-custom/CustomAppPage.tsx'),
    texts: ['os-custom', 'os-offline'],
  },
  istageListIstageConfig: { page: () => import('../features/istage/ConfigsPage.tsx'), texts: pushed },
  istageConfigAdd: istageConfig,
  istageConfigEdit: istageConfig,
  istageListIstageTemplate: { page: () => import('../features/istage/TemplatesPage.tsx'), texts: ['istage'] },
  opsIstageTemplateList: { page: () => import('../features/istage/OpsTemplatesPage.tsx'), texts: ['istage'] },
  oscsModelManageList: { page: () => import('../features/oscs-base/ModelsPage.tsx'), texts: ['oscs-base'] },
  oscsModelManageAdd: oscsModel,
  oscsModelManageEdit: oscsModel,
  oscsBaseManageList: { page: () => import('../features/oscs-base/BasesPage.tsx'), texts: ['oscs-base'] },
  oscsBaseManageAdd: oscsBase,
  oscsBaseManageEdit: oscsBase,
  uidList: { page: () => import('../features/os-uid/UidsPage.tsx'), texts: ['os-uid'] },
  uidListUidListAdd: { page: () => import('../features/os-uid/UidAddPage.tsx'), texts: ['os-uid'] },
  uidListUidListEdit: { page: () => import('../features/os-uid/UidEditPage.tsx'), texts: ['os-uid'] },
  userAccountManageList: {
    page: () => import('../features/user-account/UserAccountsPage.tsx'),
    texts: ['user-account', 'accounts', 'user-role', 'device'],
  },
  userAccountManageAdd: {
    page: () => import('../features/user-account/UserAccountAddPage.tsx'),
    texts: ['user-account', 'accounts', 'user-role', 'device'],
  },
  userAccountManageEdit: {
    page: () => import('../features/user-account/UserAccountEditPage.tsx'),
    texts: ['user-account', 'accounts', 'user-role', 'device'],
  },
  userRoleManageList: {
    page: () => import('../features/user-role/UserRolesPage.tsx'),
    texts: ['user-role', 'permission-tree'],
  },
  insideUserManageList: {
    page: () => import('../features/inside-user/InsideUsersPage.tsx'),
    texts: ['user-account', 'accounts', 'user-role'],
  },
  mdmManageInsideUserManageAdd: {
    page: () => import('../features/inside-user/InsideUserAddPage.tsx'),
    texts: ['user-account', 'accounts', 'user-role'],
  },
  mdmManageInsideUserManageEdit: {
    page: () => import('../features/inside-user/InsideUserEditPage.tsx'),
    texts: ['user-account', 'accounts', 'user-role'],
  },
  insideRoleManageList: {
    page: () => import('../features/inside-role/InsideRolesPage.tsx'),
    texts: ['user-role', 'permission-tree'],
  },
  menuTreeList: { page: () => import('../features/menu-tree/MenuTreePage.tsx'), texts: ['menu-tree'] },
  mdmManageMenuTreeAdd: { page: () => import('../features/menu-tree/MenuEntryAddPage.tsx'), texts: ['menu-tree'] },
  mdmManageMenuTreeEdit: { page: () => import('../features/menu-tree/MenuEntryEditPage.tsx'), texts: ['menu-tree'] },
  osMdmApiList: {
    page: () => import('../features/api-authorisation/ApiAuthorisationsPage.tsx'),
    texts: ['api-authorisation'],
  },
  osMdmApiAdd: {
    page: () => import('../features/api-authorisation/ApiAuthorisationPage.tsx'),
    texts: ['api-authorisation', 'upload'],
  },
  osMdmApiEdit: {
    page: () => import('../features/api-authorisation/ApiAuthorisationPage.tsx'),
    texts: ['api-authorisation', 'upload'],
  },
  operationTaskList: {
    page: () => import('../features/operation-task/OperationTasksPage.tsx'),
    texts: ['operation-task'],
  },
  operationTaskDetail: {
    page: () => import('../features/operation-task/OperationTaskPage.tsx'),
    texts: ['operation-task'],
  },
  webhookList: { page: () => import('../features/webhook/WebhooksPage.tsx'), texts: ['webhook'] },
  opsWebhookList: { page: () => import('../features/webhook/OpsWebhooksPage.tsx'), texts: ['webhook'] },
}
