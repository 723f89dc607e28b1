import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: '包名或应用',
  empty: '还没有上报的软件',
  empty_hint: '设备连接时会上报已安装的软件。',
  versions_of: '{{name}} 的所有版本',
  bring_up: '向这些设备推送最新版本',
  column: { package: '包名', app: '应用中心', version: '版本', behind: '状况', devices: '设备' },
  filter: {
    behind: '低于最新版本',
    not_behind: '不低于',
    managed: '在应用中心',
    other: '不在应用中心',
  },
}
