import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Instant, Kid, text } from '../wire.ts'
import { VersionCode } from './app_package.ts'
import { LeftOutCount, PlainRollout, PushConditions } from './push_options.ts'

export const requirementLimits = {
  of_account: 200,
  /** Devices that one rule pushes to within an hour. */
  per_hour: 2_000,
} as const

/** What its pushes wait for on a device. They begin at once, and end as pushes do by themselves. */
const Conditions = z
  .object({
    network: z.enum(['any', 'wifi']).default('any'),
    prompt: z.enum(['none', 'ask', 'force']).default('none'),
    window: PushConditions.shape.window,
  })
  .default({ network: 'any', prompt: 'none' })

const Head = z.object({
  app_kid: Kid,
  terminal_group_kid: Kid.nullable().default(null).describe('with those below; null: all devices'),
  version_kid: Kid.nullable().default(null).describe('null: the newest, as it is offered'),
  rollout: PlainRollout.nullable()
    .default(null)
    .describe(
      'its pushes go in steps, each of at most 1,000 devices; the next one begins when the one before is at its last step',
    ),
  conditions: Conditions,
  is_on: z.boolean().default(true),
})

/** Where the devices of a rule stood when it was last looked. */
export const RequirementCounts = z.object({
  devices: Count,
  has_it: Count.describe('in the required version or a higher one'),
  below: Count.describe('have a lower version'),
  missing: Count.describe('do not have the app'),
  waiting: Count.describe('of `below` and `missing`: a push is on its way'),
  failing: Count.describe('of `below` and `missing`: the last push failed; it is tried again later'),
  left_out: z.array(LeftOutCount).describe('cannot have it'),
})
export type RequirementCounts = z.output<typeof RequirementCounts>

export const AppRequirement = Head.extend({
  kid: Kid,
  app_name: z.string(),
  package: z.string(),
  version_name: z.string().nullable().describe('the required one; null where it was deleted, or none is offered'),
  version_code: VersionCode.nullable().describe('of the required one'),
  group_name: z.string().nullable(),
  counts: RequirementCounts.nullable().describe('null before the first look'),
  looked_at: Instant.nullable(),
  last_task_kid: Kid.nullable().describe('its newest push'),
  last_error: z.string().nullable().describe('why it could not push, in the language of the reader'),
  created_by: z.string(),
  created_at: Instant,
})
export type AppRequirement = z.output<typeof AppRequirement>

const needs = 'appRequiredList:edit'
/** It pushes: who may not push apps may not have them pushed either. */
const needs_for = () => 'appCenterPush:push'

const group_title = text('Required apps', 'Ứng dụng bắt buộc', '必装应用')
export const appRequirement = group(withinGroups('app_requirement'), group_title, {
  list: read('GET', {
    needs: 'appRequiredList',
    title: text('List required apps', 'Danh sách ứng dụng bắt buộc', '必装应用列表'),
    input: z.object({ app_kid: Kid.optional() }),
    output: z.array(AppRequirement).describe('by app and group'),
  }),
  insert: write('POST', {
    needs,
    needs_for,
    title: text('Require an app', 'Yêu cầu ứng dụng bắt buộc', '新增必装应用'),
    input: Head,
    output: AppRequirement,
    errors: [
      'app_not_listed',
      'app_without_version',
      'app_push_too_many',
      'group_unknown',
      'app_required_already',
      'app_required_max',
    ],
  }),
  update: write('POST', {
    needs,
    needs_for,
    title: text('Edit a required app', 'Sửa ứng dụng bắt buộc', '编辑必装应用'),
    input: edited(Head.pick({ conditions: true, is_on: true, version_kid: true, rollout: true })).extend({ kid: Kid }),
    output: AppRequirement,
    errors: ['app_not_listed', 'app_without_version', 'app_push_too_many'],
  }),
  run: write('POST', {
    needs,
    needs_for,
    title: text('Look at a required app now', 'Kiểm tra ứng dụng bắt buộc ngay', '立即检查必装应用'),
    input: ByKid,
    output: Done,
    errors: ['app_required_off'],
  }),
  delete: write('POST', {
    needs,
    title: text('Require an app no more', 'Bỏ yêu cầu ứng dụng', '取消必装应用'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
})
