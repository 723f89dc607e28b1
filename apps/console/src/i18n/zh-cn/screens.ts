import type { texts as english } from '../en/screens.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: {
    login: '登录',
    notFound: '页面不存在',
    redirect: '跳转',
    homeIndex: '首页',
    accountIndex: '账号信息',
    deviceList: '设备列表',
    deviceDetailInfo: '设备信息',
    deviceDetailTask: '设备任务',
    deviceDetailPushMessage: '推送消息',
    deviceDetailRun: '运行信息',
    deviceDetailEvent: '设备事件',
    deviceDetailFsCapture: '屏幕截图',
    fileCloudList: '文件云',
    fileCloudPush: '推送文件',
    operationLogList: '操作日志',
    opsOperationLogList: '操作日志（全部）',
    externalUserManageList: '外部用户',
    informationListClientCode: '客户代码',
    clientCodeAdd: '添加客户代码',
    clientCodeEdit: '编辑客户代码',
  },
  group: {
    static: '常规',
    'device-manages': '设备管理',
    'file-manage': '文件管理',
    'operation-log-manage': '运维管理',
    'mdm-manage': 'MDM 管理',
  },
}
