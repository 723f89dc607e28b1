import type { ColumnType } from 'kysely'

export type Json<T> = ColumnType<T, T | string, T | string>
export type State = Record<string, unknown>
/** Written by the database. */
export type Derived<T> = ColumnType<T, never, never>
