import { text } from './wire.ts'

/** What can be wrong with a code for an agent that others wrote. */
export const agentFaults = {
  agent_origin: text(
    'This agent reaches a server only at an https address without a path, such as https://mdm.example.com:443.',
    'Phần mềm quản lý này chỉ kết nối được với địa chỉ https không có đường dẫn, ví dụ https://mdm.example.com:443.',
    '此管理程序只能连接不带路径的 https 地址，例如 https://mdm.example.com:443。',
  ),
  agent_not_let_in: text(
    'This server does not let devices with this agent join.',
    'Máy chủ này không cho thiết bị dùng phần mềm quản lý này tham gia.',
    '此服务器不允许使用该管理程序的设备加入。',
  ),
} as const
