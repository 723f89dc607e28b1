import * as z from 'zod'
import { group, ofWhole, read, write } from '../kit.ts'
import { ByKid, Count, Done, Kid, Line, Nothing, text, wrong } from '../wire.ts'

export const customFieldKinds = ['text', 'number', 'date', 'choice', 'yes_no'] as const
export type CustomFieldKind = (typeof customFieldKinds)[number]
export const customFieldLimits = { fields: 30, choices: 50, text: 200, number: 1e15 } as const

const Choice = Line(64, 1)
const Choices = z
  .array(Choice)
  .max(customFieldLimits.choices)
  .refine((choices) => new Set(choices).size === choices.length, wrong('entry_repeated'))

const Draft = z
  .object({
    name: Line(64, 1),
    kind: z.enum(customFieldKinds),
    choices: Choices.default([]).describe('of the kind choice, in their order; of no other kind'),
  })
  .refine(
    ({ kind, choices }) => (kind === 'choice') === choices.length > 0,
    wrong('choices_of_choice', undefined, 'choices'),
  )

export const CustomField = z.object({
  kid: Kid,
  name: z.string(),
  kind: z.enum(customFieldKinds),
  choices: z.array(z.string()),
})
export type CustomField = z.output<typeof CustomField>

/** What a device may have in a field: text and choices as text, dates as YYYY-MM-DD. */
export const FieldValue = z.union([z.string().max(customFieldLimits.text), z.number(), z.boolean()])
export type FieldValue = z.output<typeof FieldValue>
/** By the kid of the field. */
export const FieldValues = z.record(Kid, FieldValue)
export type FieldValues = z.output<typeof FieldValues>

/** What one field takes. */
export function fieldValueOf({ kind, choices }: Pick<CustomField, 'kind' | 'choices'>): z.ZodType<FieldValue> {
  if (kind === 'number') return z.number().min(-customFieldLimits.number).max(customFieldLimits.number)
  if (kind === 'date') return z.iso.date()
  if (kind === 'yes_no') return z.boolean()
  if (kind === 'choice') return z.enum(choices as [string, ...string[]])
  return Line(customFieldLimits.text, 1)
}

export const customField = group(ofWhole('custom_field'), text('Device fields', 'Trường thiết bị', '设备字段'), {
  list: read('GET', {
    needs: 'deviceList',
    title: text('List device fields', 'Danh sách trường thiết bị', '设备字段列表'),
    input: Nothing,
    output: z.array(CustomField).describe('in their order'),
  }),
  insert: write('POST', {
    needs: 'deviceList:field',
    title: text('Create a device field', 'Tạo trường thiết bị', '新建设备字段'),
    input: Draft,
    output: CustomField,
    errors: ['duplicate_name', 'custom_field_limit'],
  }),
  update: write('POST', {
    needs: 'deviceList:field',
    title: text('Edit a device field', 'Sửa trường thiết bị', '编辑设备字段'),
    input: Draft.safeExtend({ kid: Kid }).describe('devices keep values of choices that are gone'),
    output: CustomField,
    errors: ['duplicate_name', 'custom_field_kind_fixed'],
  }),
  move: write('POST', {
    needs: 'deviceList:field',
    title: text('Move a device field', 'Di chuyển trường thiết bị', '移动设备字段'),
    input: z.object({ kid: Kid, position: Count.describe('among the others, from 0; the last one when beyond') }),
    output: z.array(CustomField),
  }),
  delete: write('POST', {
    needs: 'deviceList:field',
    title: text('Delete a device field', 'Xóa trường thiết bị', '删除设备字段'),
    input: ByKid.describe('with its values on all devices'),
    output: Done,
    works_on_full_disk: true,
  }),
})
