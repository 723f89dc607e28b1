/** The English catalogues are the shape of all. A new catalogue is one import and one line below. */
import type { texts as accountInfo } from './en/account-info.ts'
import type { texts as accounts } from './en/accounts.ts'
import type { texts as clientCode } from './en/client-code.ts'
import type { texts as common } from './en/common.ts'
import type { texts as contentReport } from './en/content-report.ts'
import type { texts as deviceBatch } from './en/device-batch.ts'
import type { texts as deviceConfig } from './en/device-config.ts'
import type { texts as deviceDetail } from './en/device-detail.ts'
import type { texts as deviceExport } from './en/device-export.ts'
import type { texts as deviceFiles } from './en/device-files.ts'
import type { texts as deviceFilters } from './en/device-filters.ts'
import type { texts as deviceScrap } from './en/device-scrap.ts'
import type { texts as deviceTelemetry } from './en/device-telemetry.ts'
import type { texts as devices } from './en/devices.ts'
import type { texts as devicesPicker } from './en/devices-picker.ts'
import type { texts as enrolment } from './en/enrolment.ts'
import type { texts as externalUser } from './en/external-user.ts'
import type { texts as fileCloud } from './en/file-cloud.ts'
import type { texts as home } from './en/home.ts'
import type { texts as map } from './en/map.ts'
import type { texts as menuTree } from './en/menu-tree.ts'
import type { texts as operationLog } from './en/operation-log.ts'
import type { texts as people } from './en/people.ts'
import type { texts as permissionTree } from './en/permission-tree.ts'
import type { texts as pickers } from './en/pickers.ts'
import type { texts as policy } from './en/policy.ts'
import type { texts as push } from './en/push.ts'
import type { texts as roles } from './en/roles.ts'
import type { texts as search } from './en/search.ts'
import type { texts as shell } from './en/shell.ts'
import type { texts as signIn } from './en/sign-in.ts'
import type { texts as subAccount } from './en/sub-account.ts'
import type { texts as webhook } from './en/webhook.ts'

export type Resources = {
  common: typeof common
  shell: typeof shell
  'sign-in': typeof signIn
  home: typeof home
  'account-info': typeof accountInfo
  devices: typeof devices
  'device-filters': typeof deviceFilters
  'device-batch': typeof deviceBatch
  'device-config': typeof deviceConfig
  'device-detail': typeof deviceDetail
  'device-export': typeof deviceExport
  'device-files': typeof deviceFiles
  'device-scrap': typeof deviceScrap
  'device-telemetry': typeof deviceTelemetry
  'devices-picker': typeof devicesPicker
  'file-cloud': typeof fileCloud
  pickers: typeof pickers
  push: typeof push
  policy: typeof policy
  'permission-tree': typeof permissionTree
  roles: typeof roles
  people: typeof people
  map: typeof map
  'menu-tree': typeof menuTree
  'operation-log': typeof operationLog
  accounts: typeof accounts
  enrolment: typeof enrolment
  'external-user': typeof externalUser
  'sub-account': typeof subAccount
  search: typeof search
  'content-report': typeof contentReport
  'client-code': typeof clientCode
  webhook: typeof webhook
}
export type Namespace = keyof Resources
export type Texts = { readonly [key: string]: string | Texts }

/**
 * A translation has every key of the English catalogue. Of plurals (`rows_one`, `rows_other`) Vietnamese and
 * Chinese have `_other` only.
 */
export type Translated<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translated<T[K]>
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: Resources
  }
}
