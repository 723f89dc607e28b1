import {
  ApartmentOutlined,
  ApiOutlined,
  AppstoreOutlined,
  BarChartOutlined,
  CloudOutlined,
  FileSearchOutlined,
  HomeOutlined,
  IdcardOutlined,
  LinkOutlined,
  MenuOutlined,
  MobileOutlined,
  SafetyCertificateOutlined,
  SafetyOutlined,
  SearchOutlined,
  TagsOutlined,
  TeamOutlined,
  UserOutlined,
  UsergroupAddOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import type { ScreenTitle } from '../screen/screen.ts'

const icons: Partial<Record<ScreenTitle, ReactNode>> = {
  homeIndex: <HomeOutlined aria-hidden />,
  accountIndex: <UserOutlined aria-hidden />,
  deviceList: <MobileOutlined aria-hidden />,
  fileCloudList: <CloudOutlined aria-hidden />,
  operationLogList: <FileSearchOutlined aria-hidden />,
  opsOperationLogList: <FileSearchOutlined aria-hidden />,
  externalUserManageList: <TeamOutlined aria-hidden />,
  subAccountManageList: <ApartmentOutlined aria-hidden />,
  userAccountManageList: <UsergroupAddOutlined aria-hidden />,
  userRoleManageList: <SafetyCertificateOutlined aria-hidden />,
  insideUserManageList: <IdcardOutlined aria-hidden />,
  insideRoleManageList: <SafetyCertificateOutlined aria-hidden />,
  searchList: <SearchOutlined aria-hidden />,
  policyList: <SafetyOutlined aria-hidden />,
  contentReportList: <BarChartOutlined aria-hidden />,
  menuTreeList: <MenuOutlined aria-hidden />,
  webhookList: <ApiOutlined aria-hidden />,
  opsWebhookList: <ApiOutlined aria-hidden />,
  informationListClientCode: <TagsOutlined aria-hidden />,
}

/** The icon of a screen, by its title key; the same in the menu, on the page and in 'Jump to'. */
export const screenIcon = (title: string | null): ReactNode =>
  title === null ? <LinkOutlined aria-hidden /> : (icons[title as ScreenTitle] ?? <AppstoreOutlined aria-hidden />)
