import { pages } from '@mdm/contract'
import type { InsideUserRow, Page, Permission } from '@mdm/contract'
import { api } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'

/** People of the account acted for, and the provider's own. */
export const peopleSides = {
  account: {
    calls: api.userAccount,
    page: pages.userAccountManageList,
    needs: { add: 'userAccountManageAdd', edit: 'userAccountManageEdit', delete: 'userAccountManageList:delete' },
  },
  inside: {
    calls: api.opsInsideUser,
    page: pages.insideUserManageList,
    needs: {
      add: 'mdmManageInsideUserManageAdd',
      edit: 'mdmManageInsideUserManageEdit',
      delete: 'insideUserManageList:delete',
    },
  },
} as const satisfies Record<
  string,
  {
    calls: Record<'exists' | 'invite' | 'set_status' | 'reset_totp' | 'delete', AnyCall>
    page: Page
    needs: Record<'add' | 'edit' | 'delete', Permission>
  }
>
export type PeopleSide = keyof typeof peopleSides
/** What both sides know of a person. */
export type PersonRow = InsideUserRow
