import { entry } from './entry.ts'

/** Electronic fences, alerts and compliance. */
export const fencesErrors = {
  fence_limit: entry(
    49101,
    422,
    'No more than {max} electronic fences are possible.',
    'Không thể có quá {max} hàng rào điện tử.',
    '电子围栏数量不能超过 {max} 个。',
  ),
  fence_password_missing: entry(
    49102,
    422,
    'A fence that locks the screen needs a password.',
    'Hàng rào có khóa màn hình phải có mật khẩu.',
    '启用锁屏的围栏必须设置密码。',
  ),
  fence_beyond_reach: entry(
    49103,
    403,
    'This fence is also in force for devices that you cannot reach.',
    'Hàng rào này còn áp dụng cho những thiết bị ngoài phạm vi của bạn.',
    '该围栏还应用于您无权管理的设备。',
  ),
  geocoder_failed: entry(
    49104,
    503,
    'The place search does not answer. Try again, or enter coordinates.',
    'Dịch vụ tìm địa điểm không phản hồi. Hãy thử lại hoặc nhập tọa độ.',
    '地点搜索服务没有响应，请重试或直接输入坐标。',
  ),
} as const
