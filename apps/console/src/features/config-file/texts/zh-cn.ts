import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  add: '添加配置文件',
  search: '按名称搜索',
  empty: '暂无配置文件',
  empty_hint: '不超过 1 MB、由设备下载并读取的文件。',
  pushes: '推送记录',
  push: '推送到设备',
  push_file: '推送 {{name}}',
  download: '下载',
  download_file: '下载 {{name}}',
  delete_file: '删除 {{name}}',
  delete_title: '删除 {{name}}？',
  delete_text: '已收到该文件的设备会保留它。',
  deleted: '配置文件已删除',
  added: '配置文件已添加',
  field: { file: '文件', file_hint: '不超过 1 MB。', name: '名称', path: '设备上的文件夹', description: '说明' },
  choose: '选择文件',
  too_large: '文件超过 1 MB。',
  no_file: '请选择文件。',
  column: {
    path: '文件夹',
    size: '大小',
    pushes: '推送次数',
    by: '添加人',
  },
  push_title: '推送配置文件',
  all_pushes: '全部配置文件推送',
  no_pushes: '尚未推送配置文件',
  new_push: '新建推送',
  files: '配置文件',
}
