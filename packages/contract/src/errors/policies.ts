import { entry } from './entry.ts'

/** Devices that are scrapped, and policies that devices are put on. */
export const policiesErrors = {
  scrap_limit: entry(
    42015,
    429,
    'An account can scrap at most {max} devices within an hour; {left} more are possible now.',
    'Một tài khoản chỉ được loại bỏ tối đa {max} thiết bị trong một giờ; hiện còn {left}.',
    '每个账号一小时内最多报废 {max} 台设备，目前还可报废 {left} 台。',
  ),
  scrap_not_waiting: entry(
    42017,
    409,
    'It is too late: this is no longer waiting.',
    'Đã quá muộn: lượt này không còn chờ nữa.',
    '为时已晚：该操作已不在等待中。',
  ),
  sn_not_scrapped: entry(
    42016,
    422,
    '{sn} is not scrapped.',
    '{sn} không ở trạng thái bị loại bỏ.',
    '{sn} 未报废，或已恢复。',
  ),
  row_date_wrong: entry(
    42059,
    422,
    '{column} is no date. Write it as 2026-01-31.',
    '{column} không phải là ngày. Hãy nhập theo dạng 2026-01-31.',
    '{column}不是有效日期，请按 2026-01-31 的格式填写。',
  ),
  policy_has_device: entry(
    44021,
    422,
    'This SN is on the policy already.',
    'SN này đã có trong chính sách.',
    '该 SN 已在此策略中。',
  ),
  policy_in_use: entry(
    44022,
    409,
    'There are devices on this policy. Take them off before it is deleted.',
    'Chính sách này đang có thiết bị. Hãy gỡ thiết bị trước khi xóa.',
    '该策略下仍有设备，请先移除设备再删除。',
  ),
}
