import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, ofProvider, read, write } from '../kit.ts'
import { informationNames } from '../os-information.ts'
import type { InformationName } from '../os-information.ts'
import { reserveCodePattern, uidKids, uidParts } from '../os-uid.ts'
import type { UidKid } from '../os-uid.ts'
import {
  ByKid,
  Count,
  Done,
  edited,
  Exists,
  Instant,
  Kid,
  Line,
  paged,
  paging,
  Search,
  shaped,
  text,
  wrong,
} from '../wire.ts'

export const uidTypes = ['standard', 'custom'] as const
export type UidType = (typeof uidTypes)[number]

const Code = z.string().describe('codes of all parts, put together')
const Kids = Object.fromEntries(uidKids.map((name) => [name, Kid])) as Record<UidKid, typeof Kid>
const Parts = z
  .array(
    z.object({
      part: z.enum(uidParts.map(({ part }) => part)),
      code: z.string(),
      name: z.string().nullable(),
      kid: Kid.nullable().describe('of the row of the list'),
    }),
  )
  .describe('in their order; name and kid are null where no row of the list has the code, and of the reserve code')

export const Uid = z.object({
  kid: Kid,
  code: Code,
  display_name: z.string(),
  type: z.enum(uidTypes),
  ...Kids,
  reserve_code: z.string(),
  parts: Parts,
  base_uid_kid: Kid.nullable().describe('of a custom OS: the standard UID that it is built on'),
  base_uid_code: z.string().nullable(),
  base_os_version: z.string().nullable(),
  remark: z.string(),
  terminal_count: Count.describe('devices that report it, of all accounts'),
  use_count: Count.describe(
    'UIDs based on it, OS versions, models, custom OS and its list of API calls: while there are any, or devices, its parts are fixed and it stays',
  ),
  created_at: Instant,
  updated_at: Instant,
})
export type Uid = z.output<typeof Uid>

const { min, max } = constants.base_os_version
const Fields = z.object({
  type: z.enum(uidTypes),
  ...Kids,
  reserve_code: z
    .string()
    .trim()
    .regex(...shaped('reserve_code', reserveCodePattern)),
  display_name: Line(64, 1),
  base_uid_kid: Kid.nullable().default(null),
  base_os_version: z
    .string()
    .trim()
    .min(min)
    .max(max)
    .regex(...shaped('base_os_version', /^[A-Za-z0-9_.]+$/))
    .nullable()
    .default(null),
  remark: Line(200).default(''),
})
type Based = Pick<z.output<typeof Fields>, 'type'> &
  Partial<Pick<z.output<typeof Fields>, 'base_uid_kid' | 'base_os_version'>>
/** A custom OS is built on something, a standard one on nothing. */
const isBased = (of: 'base_uid_kid' | 'base_os_version') =>
  [
    (draft: Based) => draft[of] === undefined || (draft.type === 'custom') === (draft[of] !== null),
    wrong('custom_has_base', undefined, of),
  ] as const
const Draft = Fields.refine(...isBased('base_uid_kid')).refine(...isBased('base_os_version'))
const Edited = edited(Fields.extend({ kid: Kid }))
  .refine(...isBased('base_uid_kid'))
  .refine(...isBased('base_os_version'))

const refused = ['duplicate_uid', 'duplicate_name', 'uid_part_unknown', 'uid_base_wrong'] as const
export const uid_choices_max = 50

export const opsUid = group(ofProvider('ops/uid'), text('UIDs', 'UID', 'UID'), {
  paging: read('POST', {
    needs: 'uidList',
    title: text('List UIDs', 'Danh sách UID', 'UID 列表'),
    input: paging(['code', 'display_name', 'updated_at']).extend({
      text: Search.describe('part of the code or the display name'),
      type: z.enum(uidTypes).optional(),
      part_kid: Kid.optional().describe('those that use this row of an information list'),
      base_uid_kid: Kid.optional(),
    }),
    output: paged(Uid),
  }),
  get: read('GET', {
    needs: 'uidList',
    title: text('Read a UID', 'Đọc UID', '读取 UID'),
    input: ByKid,
    output: Uid,
  }),
  exists: read('GET', {
    needs: 'uidList',
    title: text('Check a UID', 'Kiểm tra UID', '检查 UID'),
    input: z.object({ code: Line(64).optional(), display_name: Line(64).optional(), src_kid: Kid.optional() }),
    output: Exists,
  }),
  list_part: read('GET', {
    needs: 'uidList',
    title: text('List what a UID can be made of', 'Danh sách thành phần của UID', 'UID 组成部分列表'),
    input: z.object({
      part: z.enum(informationNames as [InformationName, ...InformationName[]]),
      text: Search,
      kid: Kid.optional().describe('this one in any case'),
    }),
    output: z
      .array(z.object({ kid: Kid, code: z.string(), name: z.string() }))
      .describe(`by code, at most ${uid_choices_max}`),
  }),
  explain: read('GET', {
    needs: 'uidList',
    title: text('Explain a UID', 'Giải thích UID', '解释 UID'),
    input: z.object({ uid: Line(64, 1) }),
    output: z.object({
      is_whole: z.boolean().describe('it is as long as a UID and has letters and digits only; else there are no parts'),
      parts: Parts,
      uid: Uid.nullable().describe('the UID, when there is one of this code'),
      terminal_count: Count.describe('devices that report it, of all accounts'),
    }),
  }),
  insert: write('POST', {
    needs: 'uidListUidListAdd',
    title: text('Create a UID', 'Tạo UID', '新建 UID'),
    input: Draft,
    output: Uid,
    errors: refused,
  }),
  update: write('POST', {
    needs: 'uidListUidListEdit',
    title: text('Edit a UID', 'Sửa UID', '编辑 UID'),
    input: Edited,
    output: Uid,
    errors: [...refused, 'uid_in_use'],
  }),
  delete: write('POST', {
    needs: 'uidList:delete',
    title: text('Delete a UID', 'Xóa UID', '删除 UID'),
    input: ByKid,
    output: Done,
    errors: ['uid_in_use'],
    works_on_full_disk: true,
  }),
})
