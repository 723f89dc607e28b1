import type { Sent } from '@mdm/contract'
import type { AnyCall, api } from '../../core/api.ts'
import type { Column } from './ListPage.tsx'

type ExportPart<R> = {
  /** Field of the row; the column's own key when absent. */
  key?: keyof R & string
  /** Head of the column in the file; the column's own title when absent. */
  title?: string
  /** What is written for a value: `{ true: 'Online' }`. */
  labels?: Readonly<Record<string, string>>
}
/** What a column is in a file; several where its cells show several fields; false where it is nothing. */
export type ColumnExport<R> = ExportPart<R> | readonly ExportPart<R>[] | false
export type FileColumn = Sent<typeof api.listExport.insert>['columns'][number]

/** Fields of the rows that a call answers, page by page or all at once; none of any other call. */
export function rowFields({ output }: AnyCall): ReadonlySet<string> {
  const page: object | undefined = output?.shape?.items?.element?.shape
  const row: object = output?.element?.shape ?? {}
  return new Set(Object.keys(page ?? ('kid' in row ? row : {})))
}

const most_columns = 60
const most_letters = 80

/** Columns of the list as columns of a file. What is no field of the rows, buttons above all, has none. */
export function fileColumns<R>(columns: readonly Column<R>[], fields: ReadonlySet<string>): FileColumn[] {
  return (
    columns
      .flatMap(({ key, title, export: asked }) => {
        if (asked === false) return []
        const parts = Array.isArray(asked) ? (asked as readonly ExportPart<R>[]) : [(asked ?? {}) as ExportPart<R>]
        return parts.map((part) => ({ key, title, ...part }))
      })
      // `fields.<kid>` is what the record `fields` has under that name.
      .filter(({ key }) => fields.has(key.split('.')[0]!))
      .slice(0, most_columns)
      .map(({ key, title, labels }) => ({ key, title: title.slice(0, most_letters), ...(labels && { words: labels }) }))
  )
}

/**
 * 'Devices Online 2026-01-31 14-05-59': what is listed, how it is filtered, and when, by the person's clock. Two files of
 * one day are told apart, and no character needs another name on any system.
 */
export function fileName(title: string, filter: string, [day, time]: readonly [date: string, time: string]): string {
  const at = `${day} ${time}`.replaceAll('/', '-').replaceAll(':', '-')
  const what = [title, filter]
    .join(' ')
    .replaceAll(/[\u2066-\u2069]/g, '')
    .replaceAll(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ')
    .trim()
  return `${what.slice(0, most_letters - at.length - 1).trim()} ${at}`
}
