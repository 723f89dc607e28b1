import * as z from 'zod'
import { Count, Instant, Kid, Line, Nothing, text, shaped } from '../wire.ts'

/** Fields that everyone who signs in has, whatever the type of account (specification, 3, Account; 5). */
export const Username = z
  .string()
  .trim()
  .regex(...shaped('login_name', /^[A-Za-z0-9._@-]{4,32}$/))
export const PersonName = Line(64, 1)
/** SHA-1, lower-case hex, of what was typed: the rule for what may be typed is the client's to check. */
/** Six digits of the app, or one of the recovery codes; full-width ones, as some keyboards write them, as well. */
export const TotpCode = z.string().normalize('NFKC').trim().min(6).max(20)
export const PasswordHash = z.string().regex(...shaped('password_hash', /^[0-9a-f]{40}$/))
const none = z.literal('').transform(() => null)
/** A number is its digits: who writes it with spaces, brackets or dots has no other one. */
const digitsOf = (typed: string): string => typed.replace(/[^\d+]/g, '')
export const Phone = z
  .string()
  .trim()
  .max(40)
  .regex(...shaped('phone', /^[ (]*\+?(?:[ ().-]*\d){5,20}[ ().-]*$/))
  .transform(digitsOf)
  .describe('kept as its digits, with a leading + where one was given')
export const Email = z.email().max(254)
export const WeChat = Line(64)
export const Contact = {
  phone: z.union([Phone, none, z.null()]).default(null),
  email: z.union([Email, none, z.null()]).default(null),
  wechat: z.union([WeChat, z.null()]).default(null),
  remark: Line(200).default(''),
}
export const ContactShown = {
  phone: z.string().nullable(),
  email: z.string().nullable(),
  wechat: z.string().nullable(),
  remark: z.string(),
}
/** On edit, no password keeps the old one. */
export const NewPassword = z.union([PasswordHash, none, z.null()]).default(null)

/** Of somebody new: without one the person is invited to set it. */
export const FirstPassword = NewPassword.describe('absent: the person is invited to set one')
/** The way in for somebody who has no password yet. */
export const Invitation = z.object({
  sent_to: z.string().nullable().describe('address that the link was sent to; null where no mail can be sent'),
  link_with_token: z.string().nullable().describe('to hand over, where no mail can be sent; shown this once'),
  expires_at: Instant,
})
export type Invitation = z.output<typeof Invitation>
/** How it stands with the invitation of a person who has no password yet; null of everybody else. */
export const InvitationState = z
  .object({
    expires_at: Instant.nullable().describe('null: there is none any more'),
    mail: z.enum(['queued', 'sent', 'failed']).nullable().describe('null: it was handed over'),
  })
  .nullable()
export const invite = {
  title: text('Invite again', 'Mời lại', '重新邀请'),
  input: z.object({ kid: Kid }),
  output: Invitation,
  errors: ['has_password', 'role_beyond_own'],
} as const

export const AccountDetails = z.object({
  name: z.string(),
  type: z.number(),
  parent_kid: Kid.nullable(),
  terminal_max: Count,
  terminal_count: Count,
  expire_time: Instant.nullable().describe('its own, or of its root when that ends first'),
  created_at: Instant,
})
/** To which account somebody or something belongs (specification, 3, Account); of an account, that is itself. */
export const Belonging = {
  organization_kid: Kid.describe('of the root account that the account belongs to'),
  enterprise_kid: Kid.describe('of the account'),
  account_details: AccountDetails.describe('of the account'),
}

/** normal; init: nobody of it has ever signed in; invalid: disabled. An account past its time is `invalid` too. */
export const AccountState = z.enum(['normal', 'init', 'invalid'])
export const SetStatus = z.object({ kid: Kid, status: z.enum(['normal', 'invalid']) })
export const RoleName = z.object({ kid: Kid, code: z.string(), name: z.string() })
/** Which of the given values somebody else than `src_kid` already has. */
export const PersonExists = {
  input: z.object({
    username: Line(64).optional(),
    email: Line(254).optional(),
    phone: Line(40).transform(digitsOf).optional(),
    src_kid: Kid.optional().describe('user who is being edited, who does not count'),
  }),
  output: z.object({ exists: z.boolean(), taken: z.array(z.enum(['username', 'email', 'phone'])) }),
}
export const Audit = { created_at: Instant, last_use_at: Instant.nullable() }

export const PermissionPattern = z
  .string()
  .regex(...shaped('permission_pattern', /^(\*|[a-z][A-Za-z]*\*?(:[A-Za-z_]*\*?)?)$/))
  .max(80)
export const Permissions = z.array(PermissionPattern).max(500)

/** What can be granted, as the menu orders it. */
export const Grantable = z.object({
  code: z.string().describe('key of the menu entry'),
  permission: z.string().nullable().describe('null for what only holds others'),
  name: z.object({ en: z.string(), vi: z.string(), 'zh-cn': z.string() }),
  type: z.enum(['module', 'group', 'page', 'operation']),
  parent_code: z.string().nullable(),
  may_grant: z.boolean().describe('whether the caller holds it'),
})
export type Grantable = z.output<typeof Grantable>
/** For whoever chooses permissions: of a role, or of an account. */
export const listGrantable = {
  title: text('List what can be granted', 'Danh sách quyền có thể cấp', '可授予权限列表'),
  input: Nothing,
  output: z.array(Grantable).describe('parents before children'),
}
