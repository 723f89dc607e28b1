import * as z from 'zod'
import { constants } from '../constants.ts'
import { file, group, ofProvider, read, write } from '../kit.ts'
import { activationStates } from '../states/activation.ts'
import { ByKid, Count, Done, Instant, Kid, Line, Nothing, paged, paging, Search, shaped, text, wrong } from '../wire.ts'

/** What the server that holds a code says of it. */
export const activationOutcomes = ['activated', 'foreign_machine', 'over_limit'] as const
export type ActivationOutcome = (typeof activationOutcomes)[number]
/** What is wrong on that server. */
export const activationFaults = ['foreign_machine', 'over_limit'] as const

const Mac = z
  .string()
  .trim()
  .overwrite((mac) => mac.toUpperCase().replaceAll('-', ':'))
  .regex(...shaped('mac_address', /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/))
const MaxAccounts = z.number().int().min(1).max(100_000)
const MaxDevices = z.number().int().min(1).max(constants.unlimited_devices)
const EndsAt = z.iso.datetime().describe('last moment at which new devices and customers may be added')

const Draft = z.object({
  name: Line(64, 1).describe('whose server it is'),
  max_accounts: MaxAccounts.default(constants.private_accounts).describe('customers that it may have'),
  max_devices: MaxDevices.describe(`${constants.unlimited_devices} is no limit`),
  macs: z
    .array(Mac)
    .max(32)
    .refine((macs) => new Set(macs).size === macs.length, wrong('entry_repeated'))
    .default([])
    .describe('MAC addresses of its machines; empty is any machine'),
  ends_at: EndsAt,
  remark: Line(200).default(''),
})

export const ActivationRow = z.object({
  kid: Kid,
  name: z.string(),
  max_accounts: Count,
  max_devices: Count,
  macs: z.array(z.string()),
  state: z.enum(activationStates),
  fault: z.enum(activationFaults).nullable().describe('of the state error'),
  issue: Count.describe('1, and one more with every renewal'),
  starts_at: Instant.describe('when the code was issued'),
  ends_at: Instant,
  reported_at: Instant.nullable().describe('last word of the server that holds the code'),
  remark: z.string(),
  created_by: z.string(),
  created_at: Instant,
})
export type ActivationRow = z.output<typeof ActivationRow>
export const Activation = ActivationRow.extend({ code: z.string().describe('what that server is given') })
export type Activation = z.output<typeof Activation>

const Code = z.string().trim().min(1).max(8_000)
const Receipt = z.string().trim().min(1).max(40)

/** How the server itself stands. */
export const ownActivationStates = [
  'not_needed',
  'missing',
  'active',
  'expired',
  'eliminated',
  'foreign_machine',
] as const
export type OwnActivationState = (typeof ownActivationStates)[number]
export const OwnActivation = z.object({
  state: z.enum(ownActivationStates),
  name: z.string().nullable().describe('of whom the code says that it is for'),
  max_accounts: Count.nullable(),
  max_devices: Count.nullable(),
  accounts: Count.describe('customers that are there'),
  devices: Count.describe('registered devices of all customers'),
  macs: z.array(z.string()).describe('of this machine'),
  code_macs: z.array(z.string()).describe('of the machines that the code is for; empty is any'),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
  entered_at: Instant.nullable(),
  receipt: z.string().nullable().describe('for the provider: that, and how, the code is in use'),
  clock_back_ms: Count.describe('how far the clock was set back behind what it has read before; 0 below an hour'),
  can_report: z.boolean().describe('whether the receipt goes to the provider by itself'),
  reported_at: Instant.nullable(),
  report_error: z.string().nullable(),
  is_renewed: z.boolean().describe('as the provider says, it has issued a newer code, which was not entered yet'),
})
export type OwnActivation = z.output<typeof OwnActivation>

const list = 'activateList'
const issues = 'privatizationGenerate'

/** Private servers: those that the provider activates, and this one. */
export const opsActivation = group(ofProvider('ops/activation'), text('Activations', 'Kích hoạt', '激活'), {
  paging: read('POST', {
    needs: list,
    title: text('List activations', 'Danh sách kích hoạt', '激活列表'),
    input: paging(['created_at', 'name', 'ends_at', 'max_devices']).extend({
      text: Search.describe('part of the name or the remark'),
      state: z.enum(activationStates).optional(),
      ends_within_days: z.number().int().min(0).max(3_650).optional().describe('and has not expired yet'),
    }),
    output: paged(ActivationRow),
  }),
  get: read('GET', {
    needs: list,
    title: text('Read an activation', 'Đọc kích hoạt', '读取激活'),
    input: ByKid,
    output: Activation,
  }),
  code_file: file('read', 'GET', {
    needs: list,
    title: text('Download an activation code', 'Tải mã kích hoạt', '下载激活码'),
    input: ByKid,
  }),
  public_key: read('GET', {
    needs: [list, issues],
    title: text('Read the key of activations', 'Đọc khóa kích hoạt', '读取激活公钥'),
    input: Nothing,
    output: z.object({ key: z.string().describe('MDM_ACTIVATION_KEY of the servers that are activated by this one') }),
  }),
  insert: write('POST', {
    needs: issues,
    title: text('Issue an activation code', 'Cấp mã kích hoạt', '签发激活码'),
    input: Draft,
    output: z.object({ kid: Kid }),
    errors: ['activation_code_expired'],
  }),
  renew: write('POST', {
    needs: 'activateList:renew',
    title: text('Renew an activation', 'Gia hạn kích hoạt', '续期激活'),
    input: Draft.pick({ max_accounts: true, max_devices: true, macs: true }).partial().extend({
      kid: Kid,
      ends_at: EndsAt,
    }),
    output: z.object({ kid: Kid }),
    errors: ['activation_code_expired', 'conflict'],
  }),
  eliminate: write('POST', {
    needs: 'activateList:eliminate',
    title: text('Eliminate an activation', 'Hủy kích hoạt', '作废激活'),
    input: ByKid,
    output: Done,
    errors: ['conflict'],
    works_on_full_disk: true,
  }),
  confirm: write('POST', {
    needs: 'activateList:confirm',
    title: text('Enter the receipt of an activation', 'Nhập biên nhận kích hoạt', '录入激活回执'),
    input: z.object({ kid: Kid, receipt: Receipt }),
    output: z.object({ state: z.enum(activationStates) }),
    errors: ['activation_receipt_wrong', 'conflict'],
  }),
  this_server: read('GET', {
    needs: list,
    title: text('Read the activation of this server', 'Đọc kích hoạt của máy chủ này', '读取本服务器的激活'),
    input: Nothing,
    output: OwnActivation,
  }),
  activate: write('POST', {
    needs: 'activateList:activate',
    title: text('Activate this server', 'Kích hoạt máy chủ này', '激活本服务器'),
    input: z.object({ code_token: Code.describe('the code, as the provider issued it') }),
    output: OwnActivation,
    errors: [
      'activation_not_needed',
      'activation_code_invalid',
      'activation_code_expired',
      'activation_foreign_machine',
    ],
  }),
})

/** What a private server itself says to its provider. */
export const activation = group('activation', text('Reports of activations', 'Báo cáo kích hoạt', '激活上报'), {
  report: write('POST', {
    needs: 'public',
    title: text('Report an activation', 'Báo cáo kích hoạt', '上报激活'),
    input: z.object({ kid: Kid, receipt: Receipt }),
    output: z.object({
      ended: z
        .string()
        .nullable()
        .describe('signed by the provider when the activation was eliminated, for the server'),
      is_renewed: z.boolean().describe('a newer code of this activation waits to be entered'),
    }),
    errors: ['activation_receipt_wrong'],
    is_unlogged: 'unless_refused',
  }),
})
