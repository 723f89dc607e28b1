import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Done, Instant, Kid, Line, Nothing, text } from '../wire.ts'
import { PushableType, pushKindOf } from './push_kinds.ts'
import { PushConditions, Rollout } from './push_options.ts'
import { PushDraft } from './push_task.ts'

export const PushTemplate = z.object({
  kid: Kid,
  name: z.string(),
  type: PushableType,
  payload: z.unknown().describe('as it was given, without secrets'),
  summary: z.string(),
  description: z.string(),
  conditions: PushConditions,
  rollout: Rollout.nullable(),
  created_by: z.string(),
  created_at: Instant,
})
export type PushTemplate = z.output<typeof PushTemplate>

export const pushTemplate = group(withinGroups('push_template'), text('Push templates', 'Mẫu lượt đẩy', '推送模板'), {
  list: read('GET', {
    needs: 'pushTaskList',
    title: text('List push templates', 'Danh sách mẫu lượt đẩy', '推送模板列表'),
    input: Nothing,
    output: z.array(PushTemplate).describe('by name'),
  }),
  insert: write('POST', {
    needs: 'pushTaskList:template',
    title: text('Save a push template', 'Lưu mẫu lượt đẩy', '保存推送模板'),
    needs_for: ({ push }) => pushKindOf(push.type).needs,
    input: z.object({ name: Line(64, 1), push: PushDraft }),
    output: PushTemplate,
    errors: ['duplicate_name', 'push_template_max', 'os_not_available'],
  }),
  delete: write('POST', {
    needs: 'pushTaskList:template',
    limited: 'refused',
    title: text('Delete a push template', 'Xóa mẫu lượt đẩy', '删除推送模板'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
})
