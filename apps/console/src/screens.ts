import { accountIndex, accountInfoScreens } from './features/account-info/screens.ts'
import {
  clientCodeAdd,
  clientCodeEdit,
  clientCodeScreens,
  informationListClientCode,
} from './features/client-code/screens.ts'
import * as deviceDetail from './features/device-detail/screens.ts'
import { contentReportList, contentReportScreens } from './features/content-report/screens.ts'
import { deviceList, deviceScreens } from './features/devices/screens.ts'
import { errorScreens } from './features/errors/screens.ts'
import {
  externalUserManageEdit,
  externalUserManageList,
  externalUserScreens,
} from './features/external-user/screens.ts'
import { fileCloudList, fileCloudPush, fileCloudScreens } from './features/file-cloud/screens.ts'
import { homeIndex, homeScreens } from './features/home/screens.ts'
import { insideRoleManageList, insideRoleScreens } from './features/inside-role/screens.ts'
import { insideUserManageList, insideUserScreens } from './features/inside-user/screens.ts'
import { menuTreeList, menuTreeScreens } from './features/menu-tree/screens.ts'
import { operationLogList, operationLogScreens, opsOperationLogList } from './features/operation-log/screens.ts'
import { policyScreens } from './features/policy/screens.ts'
import { searchScreens } from './features/search/screens.ts'
import { login, signInScreens } from './features/sign-in/screens.ts'
import { subAccountScreens } from './features/sub-account/screens.ts'
import { userAccountManageList, userAccountScreens } from './features/user-account/screens.ts'
import { userRoleManageList, userRoleScreens } from './features/user-role/screens.ts'
import { webhookScreens } from './features/webhook/screens.ts'
import type { AnyScreen } from './screen/screen.ts'

/** Every screen of the console. Nothing here loads React, so tools can read it too. */
export const screens: readonly AnyScreen[] = [
  ...signInScreens,
  ...errorScreens,
  ...homeScreens,
  ...accountInfoScreens,
  ...deviceScreens,
  ...deviceDetail.deviceDetailScreens,
  ...fileCloudScreens,
  ...operationLogScreens,
  ...subAccountScreens,
  ...externalUserScreens,
  ...searchScreens,
  ...policyScreens,
  ...contentReportScreens,
  ...clientCodeScreens,
  ...userAccountScreens,
  ...userRoleScreens,
  ...insideUserScreens,
  ...insideRoleScreens,
  ...menuTreeScreens,
  ...webhookScreens,
]

const {
  deviceDetailInfo,
  deviceDetailTask,
  deviceDetailPushMessage,
  deviceDetailConfig,
  deviceDetailApp,
  deviceDetailFileManager,
  deviceDetailRun,
  deviceDetailEvent,
  deviceDetailLocation,
  deviceDetailFsCapture,
} = deviceDetail
/** How one feature links to another, which it must not import: `link.deviceDetailInfo.to({ kid })`. */
export const link = {
  login,
  homeIndex,
  accountIndex,
  deviceList,
  deviceDetailInfo,
  deviceDetailTask,
  deviceDetailPushMessage,
  deviceDetailConfig,
  deviceDetailApp,
  deviceDetailFileManager,
  deviceDetailRun,
  deviceDetailEvent,
  deviceDetailLocation,
  deviceDetailFsCapture,
  fileCloudList,
  fileCloudPush,
  operationLogList,
  opsOperationLogList,
  externalUserManageList,
  externalUserManageEdit,
  contentReportList,
  informationListClientCode,
  clientCodeAdd,
  clientCodeEdit,
  userAccountManageList,
  userRoleManageList,
  insideUserManageList,
  insideRoleManageList,
  menuTreeList,
}
