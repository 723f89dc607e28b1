import type { PageName, Permission, QueryOf } from '@mdm/contract'
import type { ComponentType, ReactNode } from 'react'
import type { AnyCall } from '../../core/api.ts'
import { translate } from '../../i18n/translate.ts'
import type { Namespace, Resources } from '../../i18n/resources.ts'

type FieldKind = 'text' | 'code' | 'number' | 'select' | 'switch' | 'textarea' | 'date'

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

/** Sentences of a resource, in its catalogue. The titles of its pages come from the table of pages. */
export type SimpleText =
  | 'search'
  | 'empty'
  | 'empty_hint'
  /** 'Save customer code'. */
  | 'save'
  | 'added'
  | 'saved'
  | 'deleted'
  /** 'Delete the customer code {{name}}?' */
  | 'delete_title'
  | 'delete'
/** The catalogues that have these sentences. */
export type SimpleNamespace = {
  [N in Namespace]: Resources[N] extends Record<SimpleText, string> ? N : never
}[Namespace]

/** A page whose address says all. */
type FreePage = { [N in PageName]: [QueryOf<N>] extends [never] ? N : never }[PageName]
/** A page that edits one row, which its address names. */
type EditPage = {
  [N in PageName]: QueryOf<N> extends 'kid' ? ([QueryOf<N>] extends [never] ? never : N) : never
}[PageName]
/**
 * A flat reference table (at most 8 scalar fields) with its list, add and edit pages. The first need beyond that:
 * write the pages by hand. `fields` runs at render time, so it follows the language.
 */
export type SimpleResource<R extends { kid: string }> = {
  pages: { list: FreePage & Permission; add: FreePage & Permission; edit: EditPage & Permission }
  /** The permission to delete a row. */
  delete: Permission
  namespace: SimpleNamespace
  calls: { paging: AnyCall; get: AnyCall; insert: AnyCall; update: AnyCall; delete: AnyCall }
  /** The field that names a row in questions. */
  naming: keyof R & string
  fields: () => readonly SimpleField<R>[]
  /** Beside the button that adds a row: what else makes rows. */
  tools?: ComponentType
  /** Why a row cannot be deleted, or undefined. */
  whyKept?: (row: R) => string | undefined
  /** The list is one of several under a title of their own. */
  is_part?: boolean
}

export const simpleResource = <R extends { kid: string }>(definition: SimpleResource<R>): SimpleResource<R> =>
  definition

/** A sentence of the resource in the person's language. */
export const simpleText = (namespace: SimpleNamespace, key: SimpleText, values: { name?: string } = {}): string =>
  // Every catalogue in question has the key; the compiler cannot follow the union of them.
  (translate as (key: string, values: object) => string)(`${namespace}:${key}`, values)
