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
  homeIndex: <HomeOutlined />,
  accountIndex: <UserOutlined />,
  deviceList: <MobileOutlined />,
  fileCloudList: <CloudOutlined />,
  operationLogList: <FileSearchOutlined />,
  opsOperationLogList: <FileSearchOutlined />,
  externalUserManageList: <TeamOutlined />,
  subAccountManageList: <ApartmentOutlined />,
  userAccountManageList: <UsergroupAddOutlined />,
  userRoleManageList: <SafetyCertificateOutlined />,
  insideUserManageList: <IdcardOutlined />,
  insideRoleManageList: <SafetyCertificateOutlined />,
  searchList: <SearchOutlined />,
  policyList: <SafetyOutlined />,
  contentReportList: <BarChartOutlined />,
  menuTreeList: <MenuOutlined />,
  webhookList: <ApiOutlined />,
  opsWebhookList: <ApiOutlined />,
  informationListClientCode: <TagsOutlined />,
}

/** The icon of a screen, by its title key; the same in the menu, on the page and in 'Jump to'. */
export const screenIcon = (title: string | null): ReactNode =>
  title === null ? <LinkOutlined /> : (icons[title as ScreenTitle] ?? <AppstoreOutlined />)
