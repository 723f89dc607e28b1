import { pages } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'

/** The app center of the account acted for, and the provider's: one set of screens, two sets of calls and pages. */
export const appSides = {
  account: {
    id: 'app-center-list',
    calls: api.appCenter,
    page: pages.appCenterList,
    needs: {
      details: 'appCenterDetails',
      add: 'appCenterAdd',
      edit: 'appCenterEdit',
      add_version: 'appCenterAddVersion',
      edit_version: 'appCenterEditVersion',
      publish: 'appCenterList:publish',
      delete: 'appCenterList:delete',
      category: 'appCenterList:category',
      cancel: 'deviceDetailTask:cancel',
    },
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
    needs: {
      details: 'platformApkDetails',
      add: 'platformApkAdd',
      edit: 'platformApkEdit',
      add_version: 'platformApkAddVersion',
      edit_version: 'platformApkEditVersion',
      publish: 'platformApkList:publish',
      delete: 'platformApkList:delete',
      category: 'platformApkList:category',
      cancel: 'platformApkList:publish',
    },
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
