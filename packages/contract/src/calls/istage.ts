import * as z from 'zod'
import { group, ofProvider, ofWhole, read, write } from '../kit.ts'
import { IstageContent } from '../istage/content.ts'
import { istageLimits } from '../istage/limits.ts'
import { IstageKindName, IstageType, IstageVersion } from '../istage/types.ts'
import { ByKid, Count, Done, Instant, JsonValue, Kid, Line, paged, paging, Search, shaped, text } from '../wire.ts'

const base64_characters = Math.ceil(istageLimits.template_bytes / 3) * 4

export const IstageTemplate = z.object({
  kid: Kid,
  name: z.string(),
  type: IstageType,
  kind: IstageKindName,
  version: z.string(),
  is_own: z.boolean().describe('false of those of the provider, which customers see'),
  module_count: Count,
  created_by: z.string(),
  updated_at: Instant,
  imported_at: Instant,
})
export type IstageTemplate = z.output<typeof IstageTemplate>

/** The file as it was imported, its defaults filled in. */
const WholeTemplate = IstageTemplate.extend({
  is_deleted: z.boolean(),
  template: JsonValue.describe('as docs/templatejson.schema.json has it'),
})
export const templateFilter = paging(['imported_at', 'updated_at', 'name', 'type', 'version']).extend({
  text: Search,
  type: IstageType.optional(),
  kind: IstageKindName.optional(),
})
const file = z.object({
  private_content: z
    .string()
    .min(1)
    .regex(...shaped('base64', /^[A-Za-z0-9+/]*={0,2}$/))
    .describe('the file as base64; 1 MB at most; its defaults may be passwords, so the operation log leaves it out'),
})
const imported = [
  'file_too_large',
  'template_not_templatejson',
  'template_type_unknown',
  'template_version_format',
  'template_version_exists',
  'template_regex',
  'istage_template_max',
] as const

const titles = {
  paging: text('List iStage templates', 'Danh sách mẫu iStage', 'iStage 模板列表'),
  get: text('Read an iStage template', 'Xem mẫu iStage', '查看 iStage 模板'),
  import: text('Import an iStage template', 'Nhập mẫu iStage', '导入 iStage 模板'),
  delete: text('Delete an iStage template', 'Xóa mẫu iStage', '删除 iStage 模板'),
}
const body_bytes = base64_characters + 16 * 1024

export const istageTemplate = group(ofWhole('istage_template'), text('iStage templates', 'Mẫu iStage', 'iStage 模板'), {
  paging: read('POST', {
    needs: ['istageListIstageTemplate', 'istageConfigAdd', 'istageConfigEdit'],
    title: titles.paging,
    input: templateFilter,
    output: paged(IstageTemplate),
  }),
  get: read('GET', {
    needs: ['istageListIstageTemplate', 'istageConfigAdd', 'istageConfigEdit'],
    title: titles.get,
    input: ByKid,
    output: WholeTemplate,
  }),
  import: write('POST', {
    needs: 'istageListIstageTemplate:import',
    title: titles.import,
    body_bytes,
    input: file,
    output: IstageTemplate,
    errors: imported,
  }),
  delete: write('POST', {
    needs: 'istageListIstageTemplate:delete',
    title: titles.delete,
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
})

/** The provider's, which all customers see. */
export const opsIstageTemplate = group(
  ofProvider('ops/istage_template'),
  text('iStage templates of the provider', 'Mẫu iStage của nhà cung cấp', '服务商 iStage 模板'),
  {
    paging: read('POST', {
      needs: 'opsIstageTemplateList',
      title: titles.paging,
      input: templateFilter,
      output: paged(IstageTemplate),
    }),
    get: read('GET', { needs: 'opsIstageTemplateList', title: titles.get, input: ByKid, output: WholeTemplate }),
    import: write('POST', {
      needs: 'opsIstageTemplateList:import',
      title: titles.import,
      body_bytes,
      input: file,
      output: IstageTemplate,
      errors: imported,
    }),
    delete: write('POST', {
      needs: 'opsIstageTemplateList:delete',
      title: titles.delete,
      input: ByKid,
      output: Done,
      works_on_full_disk: true,
    }),
  },
)

export const istageStatuses = ['incomplete', 'completed'] as const
export const IstageConfig = z.object({
  kid: Kid,
  name: z.string(),
  description: z.string(),
  type: IstageType,
  version: z.string().describe('of its template'),
  template_kid: Kid,
  template_name: z.string(),
  is_template_deleted: z.boolean().describe('it can still be read and exported, and no longer be edited or copied'),
  status: z.enum(istageStatuses),
  created_by: z.string(),
  created_at: Instant,
  updated_at: Instant,
})
export type IstageConfig = z.output<typeof IstageConfig>

const WholeConfig = IstageConfig.extend({
  content: IstageContent,
  template: JsonValue.describe('as docs/templatejson.schema.json has it'),
})
const draft = z.object({
  name: Line(60, 1),
  description: Line(500).default(''),
  template_kid: Kid,
  private_content: IstageContent.describe('it may hold passwords, so the operation log leaves it out'),
  status: z.enum(istageStatuses).describe('completed: the content is held against its template'),
})
const saved = [
  'duplicate_name',
  'template_deleted',
  'template_pattern',
  'template_items_exceeded',
  'istage_content_exists',
  'file_too_large',
] as const
const content_body_bytes = istageLimits.content_bytes + 64 * 1024

export const istageConfig = group(
  ofWhole('istage_config'),
  text('iStage configurations', 'Cấu hình iStage', 'iStage 配置'),
  {
    paging: read('POST', {
      needs: 'istageListIstageConfig',
      title: text('List iStage configurations', 'Danh sách cấu hình iStage', 'iStage 配置列表'),
      input: paging(['updated_at', 'created_at', 'name', 'type', 'version', 'status']).extend({
        text: Search,
        type: IstageType.optional(),
        version: IstageVersion.optional(),
        status: z.enum(istageStatuses).optional(),
      }),
      output: paged(IstageConfig),
    }),
    get: read('GET', {
      needs: ['istageConfigEdit', 'istageConfigAdd', 'istageListIstageConfig:export'],
      title: text('Read an iStage configuration', 'Xem cấu hình iStage', '查看 iStage 配置'),
      input: ByKid,
      output: WholeConfig,
    }),
    insert: write('POST', {
      needs: 'istageConfigAdd',
      title: text('Create an iStage configuration', 'Tạo cấu hình iStage', '新建 iStage 配置'),
      body_bytes: content_body_bytes,
      input: draft,
      output: IstageConfig,
      errors: [...saved, 'istage_config_max'],
    }),
    update: write('POST', {
      needs: 'istageConfigEdit',
      title: text('Edit an iStage configuration', 'Sửa cấu hình iStage', '编辑 iStage 配置'),
      body_bytes: content_body_bytes,
      input: draft.extend({ kid: Kid, description: Line(500).optional() }),
      output: IstageConfig,
      errors: saved,
    }),
    copy: write('POST', {
      needs: 'istageConfigAdd',
      title: text('Copy an iStage configuration', 'Sao chép cấu hình iStage', '复制 iStage 配置'),
      input: z.object({ kid: Kid, name: Line(60, 1) }),
      output: IstageConfig.describe('incomplete until its content differs'),
      errors: ['duplicate_name', 'template_deleted', 'istage_config_max'],
    }),
    delete: write('POST', {
      needs: 'istageListIstageConfig:delete',
      title: text('Delete an iStage configuration', 'Xóa cấu hình iStage', '删除 iStage 配置'),
      input: ByKid,
      output: Done,
      works_on_full_disk: true,
    }),
    export: write('POST', {
      needs: 'istageListIstageConfig:export',
      title: text('Export an iStage configuration', 'Xuất cấu hình iStage', '导出 iStage 配置'),
      input: ByKid,
      output: z.object({
        file_name: z.string(),
        private_file: JsonValue.describe('as docs/templatejson.md has it; the operation log leaves it out'),
      }),
      errors: ['istage_incomplete'],
    }),
  },
)

/** The file of a configuration that is exported, as devices read it. */
export const istage_file_format = 1
export type IstageFileOfConfig = {
  istage: typeof istage_file_format
  name: string
  description: string
  type: string
  version: string
  content: IstageContent
}
