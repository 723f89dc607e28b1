import { appNeeds, pages } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'

/** The app center of the account acted for, and the provider's: one set of screens, two sets of calls and pages. */
export const appSides = {
  account: {
    id: 'app-center-list',
    calls: api.appCenter,
    page: pages.appCenterList,
    needs: appNeeds.account,
    links: {
      list: link.appCenterList,
      add: link.appCenterAdd,
      details: link.appCenterDetails,
      edit: link.appCenterEdit,
      add_version: link.appCenterAddVersion,
      edit_version: link.appCenterEditVersion,
    },
  },
  platform: {
    id: 'platform-apk-list',
    calls: api.opsPlatformApk,
    page: pages.platformApkList,
    needs: appNeeds.platform,
    links: {
      list: link.platformApkList,
      add: link.platformApkAdd,
      details: link.platformApkDetails,
      edit: link.platformApkEdit,
      add_version: link.platformApkAddVersion,
      edit_version: link.platformApkEditVersion,
    },
  },
} as const satisfies Record<string, { needs: Record<string, Permission>; [key: string]: unknown }>
export type AppSide = keyof typeof appSides
export type SideProps = { side: AppSide }
