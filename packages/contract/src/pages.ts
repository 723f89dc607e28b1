import { apkManage } from './pages/apk_manage.ts'
import { baseSetting } from './pages/base_setting.ts'
import { configureManage } from './pages/configure_manage.ts'
import { deviceManages } from './pages/device_manages.ts'
import { fileManage } from './pages/file_manage.ts'
import { general } from './pages/general.ts'
import type { DeclaredPage, EndType, PageGroup } from './pages/kit.ts'
import { mdmManage } from './pages/mdm_manage.ts'
import { operationLogManage } from './pages/operation_log_manage.ts'
import { osManage, userOscsManage, userOsManage } from './pages/os_manage.ts'
import { utilitiesManage } from './pages/utilities_manage.ts'
import type { Permission } from './permissions.ts'
import type { Text } from './wire.ts'

/** Every group of pages, in the order of the menu. `general` holds what stands beside the groups. */
export const pageGroups = [
  general,
  deviceManages,
  configureManage,
  apkManage,
  fileManage,
  userOsManage,
  userOscsManage,
  utilitiesManage,
  baseSetting,
  operationLogManage,
  mdmManage,
  osManage,
] as const

const declared = {
  ...general.pages,
  ...deviceManages.pages,
  ...configureManage.pages,
  ...apkManage.pages,
  ...fileManage.pages,
  ...userOsManage.pages,
  ...userOscsManage.pages,
  ...utilitiesManage.pages,
  ...baseSetting.pages,
  ...operationLogManage.pages,
  ...mdmManage.pages,
  ...osManage.pages,
}
/** The pages as they are declared; permissions and links take their types from it. */
export type DeclaredPages = typeof declared
export type PageName = keyof DeclaredPages

/** A page as the menu, the router, links and the breadcrumb read it. */
export type Page = {
  name: PageName
  path: string
  group: string
  title: Text
  needs: Permission | 'signed_in' | 'public'
  end_type: EndType
  is_open_outside: boolean
  icon: string | null
  is_hidden: boolean
  parent: PageName | null
  query: readonly string[]
  record: string | null
  provider_entry: string | null
  operations: readonly { code: Permission; title: Text }[]
}

/** What a link to a page must be given, e.g. `'kid'`. */
export type QueryOf<N extends PageName> =
  | (DeclaredPages[N] extends { query: readonly (infer Q extends string)[] } ? Q : never)
  | (DeclaredPages[N] extends { record: infer R extends string } ? R : never)

const rowsOf = (group: PageGroup): [string, Page][] =>
  Object.entries(group.pages).map(([name, one]: [string, DeclaredPage]) => [
    name,
    {
      name: name as PageName,
      path: one.path,
      group: group.code,
      title: one.title,
      needs: one.needs ?? (name as Permission),
      end_type: one.end_type ?? group.end_type,
      is_open_outside: one.is_open_outside ?? false,
      icon: one.icon ?? null,
      is_hidden: one.is_hidden ?? one.parent !== undefined,
      parent: (one.parent as PageName | undefined) ?? null,
      query: [...new Set([...(one.query ?? []), ...(one.record ? [one.record] : [])])],
      record: one.record ?? null,
      provider_entry: one.provider_entry ?? null,
      operations: Object.entries(one.operations ?? {}).map(([operation, title]) => ({
        code: `${name}:${operation}` as Permission,
        title,
      })),
    },
  ])

/**
 * Every page of the console, by its name. Permissions, the delivered menu, routes, links, breadcrumb, tag views and page
 * heads derive from it.
 */
export const pages = Object.fromEntries(pageGroups.flatMap(rowsOf)) as Readonly<Record<PageName, Page>>
export const pageList: readonly Page[] = Object.values(pages)

/** Title of the group that a page belongs to; undefined for what stands beside the groups. */
export const groupTitle = ({ group }: Pick<Page, 'group'>): Text | undefined =>
  pageGroups.find(({ code, icon }) => code === group && icon !== null)?.title
