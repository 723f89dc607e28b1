import type { Permission } from '@mdm/contract'
import type { ComponentType } from 'react'
import type { Namespace } from '../i18n/resources.ts'
import type { texts } from '../i18n/en/screens.ts'

export type ScreenTitle = keyof (typeof texts)['title']
export type ScreenGroup = keyof (typeof texts)['group']
export type Page = () => Promise<{ default: ComponentType }>

type Declared<Q extends string> = {
  group: ScreenGroup
  /** Key in the `screens` catalogue under `title`; also the code of its menu entry. */
  title: ScreenTitle
  /** A permission, any session, or nothing at all. */
  needs: Permission | 'signed_in' | 'public'
  /** 2 is the operator's side; 1 (the default) needs an account to act for. */
  end_type?: 1 | 2
  /** False for what is reached from other screens only (forms, details). Default true. */
  menu?: boolean
  /** Parameters that the page cannot do without: `to` asks for them. */
  query?: readonly Q[]
  /** Parameter that says which record the screen is of: screens of one record share a tag view, named like it. */
  record?: Q
  /** The screen that the breadcrumb shows before this one. */
  parent?: { path: string; title: ScreenTitle }
  /** Catalogues loaded together with the page. */
  texts?: readonly Namespace[]
  /** Screens that name the same function share its component around their pages (tabs of one record). */
  layout?: Page
  page: Page
}
type Value = string | number | boolean | readonly string[] | null | undefined
type Required<Q extends string> = { [K in Q]: string | number } & Record<string, Value>

/** What a tool or the shell may know of any screen. */
export type AnyScreen = Omit<Declared<string>, 'end_type' | 'menu' | 'query' | 'texts'> & {
  path: string
  end_type: 1 | 2
  menu: boolean
  texts: readonly Namespace[]
  query: readonly string[]
}
export type Screen<P extends string = string, Q extends string = never> = AnyScreen & {
  path: P
  query: readonly Q[]
  /** Address of the screen: `deviceDetailInfo.to({ kid })`, `deviceList.to({ is_online: true })`. */
  to: [Q] extends [never] ? (values?: Record<string, Value>) => string : (values: Required<Q>) => string
}

/** Declares one screen: its route, address, breadcrumb, permission, menu key and lazily loaded page. */
export function screen<const P extends string, const Q extends string = never>(
  path: P,
  declared: Declared<Q>,
): Screen<P, Q> {
  const to = (values: Record<string, Value> = {}) => path + searchOf(values)
  return {
    ...declared,
    path,
    end_type: declared.end_type ?? 1,
    menu: declared.menu ?? true,
    texts: declared.texts ?? [],
    query: declared.query ?? [],
    to,
  } as Screen<P, Q>
}

export function searchOf(values: Record<string, Value>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === '') continue
    if (typeof value === 'object') for (const part of value) query.append(name, part)
    else query.set(name, String(value))
  }
  const text = query.toString()
  return text && `?${text}`
}
