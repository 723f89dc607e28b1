import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  title: '内容报表',
  search: '客户名称',
  empty: '还没有客户',
  empty_hint: '客户存储和推送的内容会显示在这里。',
  period: '推送时间',
  total: '全部客户合计',
  in_period: '所选时间段内',
  in_30_days: '最近 30 天',
  failed_other: '{{shown}} 次失败',
  file_space_of: '{{name}} 的文件磁盘：已使用部分',
  app_space_of: '{{name}} 的应用中心：已使用部分',
  column: {
    name: '客户',
    files: '文件',
    file_space: '文件磁盘',
    apps: '应用',
    app_space: '应用中心',
    pushes: '推送',
    downloads: '下载',
    failed: '失败',
  },
}
