import type { Permission } from '@mdm/contract'
import type { ReactNode } from 'react'
import type { AnyCall } from '../api.ts'
import type { Namespace } from '../i18n/resources.ts'
import type { Screen } from './screen.ts'

export type FieldKind = 'text' | 'code' | 'number' | 'select' | 'switch' | 'textarea' | 'date'

export type SimpleField<R> = {
  /** Name of the column and of the input; its rules come from the `insert` call's schema. */
  name: keyof R & string
  kind: FieldKind
  label: string
  /** Shown under the field of the form. */
  hint?: string
  /** Of a `select`. */
  options?: readonly { value: string | number; label: string }[]
  /** In the list only: created, updated. */
  is_read_only?: boolean
  /** In the form only. */
  is_form_only?: boolean
  /** The server can sort by it. */
  is_sortable?: boolean
  /** The one function of a definition: another look for the cell. */
  cell?: (row: R) => ReactNode
}

export type SimpleTexts = {
  title: string
  search: string
  empty: string
  empty_hint: string
  /** Names the add button and what it does: 'Add customer code'. */
  add: string
  /** 'Save customer code'. */
  save: string
  edit_title: string
  added: string
  saved: string
  deleted: string
  /** 'Delete the customer code {{name}}?' already filled. */
  delete_title: (name: string) => string
  delete: string
}

type RowScreen = Screen<string, 'kid'>
/**
 * A flat reference table (at most 8 scalar fields) with its list, add and edit pages. The first need beyond that:
 * write the pages by hand. `texts` and `fields` run at render time, so they follow the language.
 */
export type SimpleResource<R extends { kid: string }> = {
  id: string
  icon: ReactNode
  namespace: Namespace
  calls: { paging: AnyCall; get: AnyCall; insert: AnyCall; update: AnyCall; delete: AnyCall }
  needs: { delete: Permission }
  screens: { list: Screen; add: Screen; edit: RowScreen }
  /** The field that names a row in questions. */
  naming: keyof R & string
  texts: () => SimpleTexts
  fields: () => readonly SimpleField<R>[]
}

export const simpleResource = <R extends { kid: string }>(definition: SimpleResource<R>): SimpleResource<R> =>
  definition
