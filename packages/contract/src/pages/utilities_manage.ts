import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const templateOperations = {
  import: text('Import iStage templates', 'Nhập mẫu iStage', '导入 iStage 模板'),
  delete: text('Delete iStage templates', 'Xóa mẫu iStage', '删除 iStage 模板'),
}

export const utilitiesManage = pageGroup(
  'utilities-manage',
  text('iStage', 'iStage', 'iStage'),
  { icon: 'istage', end_type: 1 },
  {
    istageListIstageConfig: page(
      '/istage-list/istage-config',
      text('iStage configurations', 'Cấu hình iStage', 'iStage 配置'),
      {
        icon: 'istage',
        operations: {
          delete: text('Delete iStage configurations', 'Xóa cấu hình iStage', '删除 iStage 配置'),
          export: text('Export iStage configurations', 'Xuất cấu hình iStage', '导出 iStage 配置'),
        },
      },
    ),
    istageConfigAdd: page(
      '/istage-config-add',
      text('Create iStage configuration', 'Tạo cấu hình iStage', '新建 iStage 配置'),
      { parent: 'istageListIstageConfig' },
    ),
    istageConfigEdit: page(
      '/istage-config-edit',
      text('Edit iStage configuration', 'Sửa cấu hình iStage', '编辑 iStage 配置'),
      { parent: 'istageListIstageConfig', query: ['kid'] },
    ),
    istageConfigCode: page('/istage-config-code', text('iStage codes', 'Mã iStage', 'iStage 二维码'), {
      parent: 'istageListIstageConfig',
      query: ['kid'],
      record: 'kid',
    }),
    istageListIstageTemplate: page(
      '/istage-list/istage-template',
      text('iStage templates', 'Mẫu iStage', 'iStage 模板'),
      { icon: 'istage-template', operations: templateOperations },
    ),
  },
)
