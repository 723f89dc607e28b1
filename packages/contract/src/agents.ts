import type { PushTaskType } from './calls/push_kinds.ts'
import { text } from './wire.ts'

/** What an agent does not do, and why: the one place where it is said. docs/agents.md is held to it. */
export const inabilities = {
  not_capable: text(
    'The device or its agent does not do this',
    'Thiết bị hoặc phần mềm quản lý không làm được việc này',
    '设备或其管理程序不支持此操作',
  ),
  no_shutdown: text(
    'Android gives agents no way to shut a device down',
    'Android không cho phần mềm quản lý tắt nguồn thiết bị',
    'Android 不允许管理程序关闭设备',
  ),
  no_screenshot: text(
    'The agent cannot see the screen',
    'Phần mềm quản lý không xem được màn hình',
    '管理程序无法查看屏幕',
  ),
  no_log: text('The agent sends no logs', 'Phần mềm quản lý không gửi nhật ký', '管理程序不发送日志'),
  no_files: text('The agent does not receive files', 'Phần mềm quản lý không nhận tệp', '管理程序不接收文件'),
  no_file_list: text(
    'The agent does not show the files of the device',
    'Phần mềm quản lý không hiển thị tệp của thiết bị',
    '管理程序不显示设备上的文件',
  ),
  no_os: text(
    'The agent does not install systems',
    'Phần mềm quản lý không cài hệ điều hành',
    '管理程序不安装操作系统',
  ),
  updates_only: text(
    'The agent does nothing but install systems',
    'Phần mềm quản lý chỉ cài hệ điều hành',
    '管理程序只安装操作系统',
  ),
  no_message: text('The agent shows no messages', 'Phần mềm quản lý không hiển thị tin nhắn', '管理程序不显示消息'),
  no_lock: text(
    'The agent has no lock that the user can open again',
    'Phần mềm quản lý không có khóa mà người dùng tự mở lại được',
    '管理程序没有用户可以自行解开的锁定',
  ),
  no_ring: text('The agent cannot ring', 'Phần mềm quản lý không đổ chuông được', '管理程序无法响铃'),
  is_page: text(
    'A browser lets no page do this',
    'Trình duyệt không cho trang web làm việc này',
    '浏览器不允许页面执行此操作',
  ),
} as const
export type Inability = keyof typeof inabilities
export const inabilityNames = Object.keys(inabilities) as [Inability, ...Inability[]]
export const isInability = (reason: string): reason is Inability => Object.hasOwn(inabilities, reason)

/** Pushes, which a device says in its hello, and requests that people make of it. */
type Work = PushTaskType | 'file_list'
type Agent = { name: string; lacks: Partial<Record<Work, Inability>> }

/** Of agents that install systems, and ask nobody for anything else. */
const updates_only = {
  message: 'updates_only',
  app_install: 'updates_only',
  app_uninstall: 'updates_only',
  lock: 'updates_only',
  find: 'updates_only',
  restart: 'updates_only',
  factory_reset: 'updates_only',
  shutdown: 'updates_only',
  screenshot: 'updates_only',
  remote_log: 'updates_only',
  file: 'updates_only',
  config_file: 'updates_only',
  file_list: 'updates_only',
} as const satisfies Agent['lacks']

/**
 * The page in a browser, and agents that others wrote, each with a switch in the settings of the server. What stands in `lacks` has a
 * reason of its own; what else a device does not say that it does, it does not do either.
 */
export const agentsOfOthers = {
  browser: {
    name: 'Web',
    lacks: {
      app_install: 'is_page',
      app_uninstall: 'is_page',
      lock: 'is_page',
      restart: 'is_page',
      factory_reset: 'is_page',
      shutdown: 'is_page',
      screenshot: 'is_page',
      config_file: 'is_page',
      os: 'is_page',
    },
  },
  mdmesh: {
    name: 'MDMesh',
    lacks: {
      shutdown: 'no_shutdown',
      screenshot: 'no_screenshot',
      remote_log: 'no_log',
      file: 'no_files',
      config_file: 'no_files',
      file_list: 'no_file_list',
      os: 'no_os',
    },
  },
  headwind: {
    name: 'Headwind',
    lacks: {
      message: 'no_message',
      lock: 'no_lock',
      find: 'no_ring',
      shutdown: 'no_shutdown',
      screenshot: 'no_screenshot',
      file_list: 'no_file_list',
      os: 'no_os',
    },
  },
  hawkbit: { name: 'hawkBit', lacks: updates_only },
  mender: { name: 'Mender', lacks: updates_only },
} as const satisfies Record<string, Agent>
export type GatewayKind = keyof typeof agentsOfOthers
export const gatewayKinds = Object.keys(agentsOfOthers) as [GatewayKind, ...GatewayKind[]]

/** What the agent of a device is: `mdm` and `browser` speak the device link, the others come through a gateway. */
export type AgentKind = 'mdm' | GatewayKind
export const agentKinds: readonly [AgentKind, ...AgentKind[]] = ['mdm', ...gatewayKinds]
export const agentOf = (kind: AgentKind): Agent | undefined => (kind === 'mdm' ? undefined : agentsOfOthers[kind])

type Able = { agent_kind: AgentKind; task_types: readonly string[] | null }
/** Why a device does not do this; undefined where it does, or has not said. */
export function inabilityOf({ agent_kind, task_types }: Able, work: Work): Inability | undefined {
  const own = agentOf(agent_kind)?.lacks[work]
  if (work === 'file_list') return own
  return task_types === null || task_types.includes(work) ? undefined : (own ?? 'not_capable')
}
