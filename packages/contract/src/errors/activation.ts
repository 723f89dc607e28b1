import { entry } from './entry.ts'

/** Activations of private servers. */
export const activationErrors = {
  activation_not_needed: entry(
    46001,
    422,
    'This environment does not need activation.',
    'Môi trường này không cần kích hoạt.',
    '当前环境无需激活。',
  ),
  activation_missing: entry(
    46002,
    422,
    'The activation environment is missing.',
    'Thiếu môi trường kích hoạt.',
    '缺少激活环境。',
  ),
  activation_expired: entry(
    46003,
    422,
    'The activation environment has expired.',
    'Môi trường kích hoạt đã hết hạn.',
    '激活环境已过期。',
  ),
  activation_code_expired: entry(
    46004,
    422,
    'The activation code has expired.',
    'Mã kích hoạt đã hết hạn.',
    '激活码已过期。',
  ),
  activation_code_invalid: entry(
    46006,
    422,
    'This is not an activation code of the provider of this server.',
    'Đây không phải mã kích hoạt của nhà cung cấp máy chủ này.',
    '这不是本服务器服务商签发的激活码。',
  ),
  activation_foreign_machine: entry(
    46007,
    422,
    'The activation code is for another machine ({macs}). Receipt for the provider: {receipt}',
    'Mã kích hoạt dành cho máy khác ({macs}). Biên nhận cho nhà cung cấp: {receipt}',
    '激活码属于其他机器（{macs}）。给服务商的回执：{receipt}',
  ),
  activation_receipt_wrong: entry(
    46008,
    422,
    'This is not a receipt of this activation, or a newer code was issued since.',
    'Đây không phải biên nhận của lượt kích hoạt này, hoặc đã có mã mới hơn.',
    '回执与该激活不符，或此后已签发新的激活码。',
  ),
}
