import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  how: '选择设备的方式',
  by_group: '整个分组',
  by_device: '单个设备',
  group_hint: '包括该分组及其下级分组中的所有设备，以创建任务时为准。',
  search_group: '分组名称',
  search_device: 'SN、别名或 IMEI',
  devices_other: '{{shown}} 台设备',
  chosen_other: '已选 {{shown}} 台设备',
  full: '最多选择 {{max}} 台单个设备；需要更多时请选择整个分组。',
  none_match: '没有匹配的设备。',
  any_state: '在线或离线',
  sn: 'SN',
  alias: '别名',
  model: '型号',
  group: '分组',
}
