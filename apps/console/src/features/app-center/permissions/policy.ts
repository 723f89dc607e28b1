import type { ConfigValues } from '@mdm/contract/config/sections.ts'
import { texts as english } from '../texts/en.ts'

export type PermissionPolicy = ConfigValues['permission_policy']

const android = 'android.permission.'
const asked = english.permission.names
/** What Android asks its user for, as it is named below `android.permission`; all else is granted with the installation. */
type Asked = keyof typeof asked
export const isAsked = (permission: string): boolean =>
  permission.startsWith(android) && Object.hasOwn(asked, permission.slice(android.length))

/** The text that `android.permission.READ_SMS` is called by. */
export const nameKey = (permission: string) =>
  `app-center:permission.names.${permission.slice(android.length) as Asked}` as const

/** `default`: as for all apps. */
export const answers = ['default', 'grant', 'deny'] as const
export type Answer = (typeof answers)[number] | 'ask'
export type Answers = Record<string, Answer>

/** What a policy says of one app. */
export const answersOf = (policy: PermissionPolicy | null, package_name: string): Answers =>
  Object.fromEntries(
    (policy?.exceptions ?? [])
      .filter((each) => each.package === package_name)
      .map(({ permission, answer }) => [permission, answer]),
  )

/** The same policy with these answers for the app; what it says of others stays. */
export function withAnswers(policy: PermissionPolicy | null, package_name: string, said: Answers): PermissionPolicy {
  const { preset = 'ask', exceptions = [] } = policy ?? {}
  const others = exceptions.filter((each) => each.package !== package_name || !(each.permission in said))
  const own = Object.entries(said).flatMap(([permission, answer]) =>
    answer === 'default' ? [] : [{ package: package_name, permission, answer }],
  )
  return { preset, exceptions: [...others, ...own] }
}
