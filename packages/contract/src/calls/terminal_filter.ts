import * as z from 'zod'
import { agentKinds } from '../agents.ts'
import { Instant, Kid, Line, Search, Sn, wrong } from '../wire.ts'
import { VersionCode } from './app_package.ts'
import { PushType } from './push_kinds.ts'

/** Numbers of the specification (section 4, Filters); -1 is no filter at all. */
export const foregroundStates = { all: -1, default: 1, foreground: 2 } as const
export const yesNoStates = { all: -1, no: 1, yes: 2 } as const
/** Where a device is of its geofence; 0 while none is in force for it. */
export const fenceStatuses = { all: -1, closed: 0, enter: 1, out: 2 } as const
const Three = z.union([z.literal(-1), z.literal(1), z.literal(2)])
export const FenceStatus = z.union([z.literal(0), z.literal(1), z.literal(2)])
export type FenceStatus = z.output<typeof FenceStatus>

export const tagLimits = { of_device: 20, of_account: 500, length: 32 } as const
export const Tag = Line(tagLimits.length, 1)

export const whereLimits = { levels: 3, conditions: 20, values: 50 } as const
/** A trigram index finds parts of so many characters at least. */
const part_min = 3

const range = (min: number, max: number) =>
  z
    .object({ min: z.number().min(min).max(max), max: z.number().min(min).max(max) })
    .refine((both) => both.min <= both.max, wrong('range_order', undefined, 'max'))
const BatteryRange = range(0, 100).describe('percent; both bounds, min not above max')
const SignalRange = range(-150, 0).describe('dBm; both bounds, min not above max')
const AnyRange = range(-1e15, 1e15)

const Text = Line(100, 1)
const Texts = z.array(Line(200)).min(1).max(whereLimits.values)
const GroupKids = z
  .array(z.union([Kid, z.literal('NO_GROUP')]))
  .min(1)
  .max(whereLimits.values)
const Days = z.number().int().min(1).max(36_500)
const nothing = z.undefined()
const AppPart = z.object({ package: Line(200, 1) })
const AppVersionPart = AppPart.extend({
  version: Line(100, 1),
  version_code: VersionCode.optional().describe('counts in place of the version where the device says its own'),
})

/** What each kind of field can be asked, and with which value. */
export const whereOperators = {
  text: {
    is: Text,
    is_not: Text,
    starts_with: Text,
    contains: Line(100, part_min),
    is_empty: nothing,
    is_filled: nothing,
  },
  choice: { is_one_of: Texts, is_none_of: Texts, is_empty: nothing, is_filled: nothing },
  number: { between: AnyRange, is_empty: nothing, is_filled: nothing },
  time: { before: Instant, after: Instant, older_than: Days, within: Days, is_empty: nothing, is_filled: nothing },
  date: {
    before: z.iso.date(),
    after: z.iso.date(),
    older_than: Days,
    within: Days,
    is_empty: nothing,
    is_filled: nothing,
  },
  yes_no: { is: z.boolean() },
  tags: {
    has_any: z.array(Tag).min(1).max(20),
    has_all: z.array(Tag).min(1).max(20),
    has_none: z.array(Tag).min(1).max(20),
    is_empty: nothing,
    is_filled: nothing,
  },
  group: { is_within: GroupKids, is_not_within: GroupKids },
  /** Versions are compared by their codes, or by the numbers in them where one of the two has no code: 1.10 is above 1.9. */
  app: {
    is_installed: AppPart,
    is_not_installed: AppPart,
    is_below: AppVersionPart,
    is_at_least: AppVersionPart,
    is_version: AppVersionPart,
  },
} as const satisfies Record<string, Record<string, z.ZodType>>
export type WhereKind = keyof typeof whereOperators
export type WhereOperator = { [K in WhereKind]: keyof (typeof whereOperators)[K] }[WhereKind]

/** What a condition may be about, besides the fields of the account. */
export const whereFields = {
  sn: 'text',
  name: 'text',
  imei: 'text',
  model: 'choice',
  os_version: 'choice',
  uid: 'choice',
  version_code: 'number',
  ver: 'number',
  network_type: 'choice',
  terminal_group_kid: 'group',
  app: 'app',
  tags: 'tags',
  is_online: 'yes_no',
  is_metered: 'yes_no',
  is_roaming: 'yes_no',
  has_foreground_app: 'yes_no',
  battery_level: 'number',
  signal: 'number',
  last_online_at: 'time',
  registered_at: 'time',
} as const satisfies Record<string, WhereKind>
export type WhereField = keyof typeof whereFields
/** Of a field of the account, the field's kind decides. */
export const customFieldWhereKinds = {
  text: 'text',
  number: 'number',
  date: 'date',
  choice: 'choice',
  yes_no: 'yes_no',
} as const satisfies Record<string, WhereKind>

/** The schema of the value, or undefined when nothing of this kind can be asked that. */
export const whereValue = (kind: WhereKind, op: string): z.ZodType | undefined =>
  Object.hasOwn(whereOperators[kind], op) ? (whereOperators[kind] as Record<string, z.ZodType>)[op] : undefined

const Value = z
  .union([
    z.string().max(200),
    z.number(),
    z.boolean(),
    z.array(z.string().max(200)).max(whereLimits.values),
    z.object({ min: z.number(), max: z.number() }),
    z.object({
      package: z.string().max(200),
      version: z.string().max(100).optional(),
      version_code: VersionCode.optional(),
    }),
  ])
  .optional()
const operators = [...new Set(Object.values(whereOperators).flatMap((each) => Object.keys(each)))] as [WhereOperator]

export const WhereCondition = z
  .strictObject({
    field: z.enum([...Object.keys(whereFields), 'custom_field'] as [WhereField, 'custom_field']),
    custom_field_kid: Kid.optional().describe('with the field custom_field'),
    op: z.enum(operators),
    value: Value.describe('as the operator takes it'),
  })
  .superRefine(({ field, custom_field_kid, op, value }, ctx) => {
    const is_custom = field === 'custom_field'
    if (is_custom !== (custom_field_kid !== undefined)) {
      ctx.addIssue({
        code: 'custom',
        path: ['custom_field_kid'],
        message: 'goes_with',
        params: { field: 'custom_field' },
      })
      return
    }
    // Which kind a field of the account has is known where the account is.
    if (is_custom) return
    const schema = whereValue(whereFields[field], op)
    if (!schema) return ctx.addIssue({ code: 'custom', path: ['op'], message: 'not_of_field' })
    for (const issue of schema.safeParse(value).error?.issues ?? [])
      ctx.addIssue({ ...issue, path: ['value', ...issue.path] } as Parameters<typeof ctx.addIssue>[0])
  })
export type WhereCondition = z.output<typeof WhereCondition>
export type WhereGroup = { all: WhereNode[] } | { any: WhereNode[] }
export type WhereNode = WhereCondition | WhereGroup

const groupOf = <T extends z.ZodType>(node: T) => {
  const nodes = z.array(node).min(1).max(whereLimits.conditions)
  return z.union([z.strictObject({ all: nodes }), z.strictObject({ any: nodes })])
}
const Level3 = groupOf(WhereCondition)
const Level2 = groupOf(z.union([WhereCondition, Level3]))
/** Conditions joined by AND (`all`) and OR (`any`). */
export const Where = groupOf(z.union([WhereCondition, Level2])).refine(
  (where) => whereConditions(where as WhereGroup).length <= whereLimits.conditions,
  wrong('too_many', { max: whereLimits.conditions }),
)
export type Where = z.output<typeof Where>

export const whereNodes = (group: WhereGroup): WhereNode[] => ('all' in group ? group.all : group.any)
export const whereConditions = (node: WhereNode): WhereCondition[] =>
  'field' in node ? [node] : whereNodes(node).flatMap(whereConditions)

/** One value, or several of which a device has one. */
const Several = <T extends z.ZodType<string>>(value: T) =>
  z.union([value, z.array(value).min(1).max(whereLimits.values)])
const Name = z.string().max(64)
/** SNs that are asked for by name: a list of that many still fits into an address that every proxy lets pass. */
export const named_sns_max = 200

/** Which devices: everything that is given has to be so. */
export const TerminalFilter = z.object({
  text: Search.describe('part of SN, alias or IMEI'),
  terminal_group_kid: z.union([Kid, z.literal('ALL'), z.literal('NO_GROUP')]).default('ALL'),
  is_online: z.boolean().optional(),
  sns: z
    .array(Sn(64))
    .min(1)
    .max(named_sns_max)
    .optional()
    .describe('those of them that are there, in any letter case'),
  model: Several(Name).optional().describe('one, or any of several'),
  os_version: Several(Name).optional().describe('one, or any of several'),
  uid: Several(Name).optional().describe('of the operating system: one, or any of several'),
  foreground_state: Three.optional().describe('1: no app in the foreground, 2: one is'),
  metered: Three.optional().describe('1: not known to be metered, 2: metered'),
  roaming: Three.optional().describe('1: not known to be roaming, 2: roaming'),
  location_fence_status: z
    .union([z.literal(-1), ...FenceStatus.options])
    .optional()
    .describe('0: no fence is in force, 1: inside, 2: outside'),
  is_compliant: z.boolean().optional().describe('false: an alert rule marks it as not compliant'),
  is_lost: z.boolean().optional().describe('true: somebody said that it is lost, and nobody that it was found'),
  battery: BatteryRange.optional(),
  signal: SignalRange.optional(),
  agent_kind: Several(z.enum(agentKinds)).optional().describe('whose agent it has: one, or any of several'),
  can: PushType.optional().describe('kind of push that it says it carries out'),
  custom_field: WhereCondition.refine(
    (condition) => condition.field === 'custom_field',
    wrong('not_one_of', { values: 'custom_field' }),
  ).optional(),
  tag: Several(Tag).optional().describe('one, or any of several'),
  where: Where.optional().describe(`at most ${whereLimits.levels} levels`),
  terminal_dynamic_group_kid: Kid.optional(),
  terminal_batch_kid: Kid.optional().describe('those that a spreadsheet registered, or found there already'),
})
export type TerminalFilter = z.output<typeof TerminalFilter>
