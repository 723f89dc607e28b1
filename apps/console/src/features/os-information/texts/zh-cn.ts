import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  title: 'OS 信息',
  search: '代码或名称',
  empty: '此列表暂无内容',
  empty_hint: '列表中的每个代码都是操作系统 UID 的组成部分。请添加代码，或从表格导入。',
  save: '保存修改',
  added: '已添加',
  saved: '已保存',
  deleted: '已删除',
  delete_title: '删除 {{name}}？',
  delete: '删除',
  in_use_other: '已被 {{count}} 个 UID 使用，不能删除。',
  show_uids: '使用 {{code}} 的 UID：{{count}}',
  column: {
    code: '代码',
    name: '名称',
    total_capacity: '总容量',
    chip_model: '芯片型号',
    supplier: '供应商',
    bom_code: 'BOM 编码',
    uid_count: 'UID 数',
    remark: '备注',
  },
  format: {
    client_code: '5 位字母或数字。',
    code_of_2: '2 位字母或数字。',
    code_of_2_letters: '2 位大写字母。',
    code_of_1_letter: '1 位大写字母。',
  },
  import: {
    button: '导入',
    title: '导入{{list}}',
    hint: '下载模板，每项填写一行，然后在此选择表格；也可以选择已导出的列表。查看全部行之前不会导入任何内容。',
    good_other: '可导入 {{shown}} 行',
    bad_other: '{{shown}} 行有问题，将被跳过',
    nothing_good: '没有可导入的行。',
    submit_other: '导入 {{shown}} 行',
    done_other: '已导入 {{count}} 行',
    left_out: '以下代码刚刚已被他人添加：{{codes}}',
  },
}
