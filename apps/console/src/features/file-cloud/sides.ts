import { pages } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'

/** The files of the account acted for, and the provider's: one set of screens, two sets of calls and pages. */
export const fileSides = {
  account: {
    id: 'file-cloud-list',
    calls: api.fileCloud,
    page: pages.fileCloudList,
    needs: { list: 'fileCloudList', add: 'fileCloudAdd', edit: 'fileCloudEdit', delete: 'fileCloudList:delete' },
    links: { list: link.fileCloudList, add: link.fileCloudAdd, edit: link.fileCloudEdit },
  },
  platform: {
    id: 'platform-file-list',
    calls: api.opsPlatformFile,
    page: pages.platformFileList,
    needs: {
      list: 'platformFileList',
      add: 'platformFileAdd',
      edit: 'platformFileEdit',
      delete: 'platformFileList:delete',
    },
    links: { list: link.platformFileList, add: link.platformFileAdd, edit: link.platformFileEdit },
  },
} as const satisfies Record<string, { needs: Record<string, Permission>; [key: string]: unknown }>
export type FileSide = keyof typeof fileSides
export type SideProps = { side: FileSide }
