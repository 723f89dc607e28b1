import type { ErrorDetails, ErrorName, FileReply, Language, OperationTaskKind, OperationTaskState } from '@mdm/contract'
import type { ChangedThing } from '@mdm/contract'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../actor.ts'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'

/** A job as the list of operation tasks reads it from the table that the work is done from. */
export type OperationRow = {
  kid: string
  state: OperationTaskState
  name: string
  /** Null: the provider. */
  account_kid: string | null
  created_by: string
  created_at: Date
  finished_at: Date | null
  total: number | null
  done: number
  failed: number
  fault: { name: ErrorName; details: ErrorDetails } | null
  size: number | null
  result_until: Date | null
}
const types = {
  kid: 'uuid',
  state: 'text',
  name: 'text',
  account_kid: 'uuid',
  created_by: 'text',
  created_at: 'timestamptz',
  finished_at: 'timestamptz',
  total: 'bigint',
  done: 'bigint',
  failed: 'bigint',
  fault: 'jsonb',
  size: 'bigint',
  result_until: 'timestamptz',
} as const satisfies Record<keyof OperationRow, string>

type Act<T> = {
  /** In which states it can be done. */
  in: readonly OperationTaskState[]
  run: (actor: Actor, row: OperationRow, language: Language) => Promise<T>
}

/** One kind of background jobs that the provider's people follow, offered by the module that does them. */
export type OperationSource = {
  kind: OperationTaskKind
  /** As the operation log names a job. */
  table: ChangedThing & keyof Tables
  /** Each column of a row as SQL, by the tables of `from`. Columns that are left out are null, and numbers 0. */
  columns: Partial<Record<keyof OperationRow, RawBuilder<unknown>>>
  from: (deps: Deps) => RawBuilder<unknown>
  /** Why one failed, where the catalogue's sentence alone does not say it. */
  inWords?: (fault: NonNullable<OperationRow['fault']>, language: Language) => string
  cancel?: Act<unknown>
  retry?: Act<unknown>
  /** A spreadsheet that is made as it is read. */
  result?: Act<FileReply>
  /** An address of a file that is kept. */
  download?: Act<{ url: string }>
}

const empty: Partial<Record<keyof OperationRow, RawBuilder<unknown>>> = {
  name: sql`''`,
  created_by: sql`''`,
  done: sql`0`,
  failed: sql`0`,
}
/** All jobs of a kind. */
export function operationRows({ kind, columns, from }: OperationSource, deps: Deps): RawBuilder<unknown> {
  const each = (Object.keys(types) as (keyof OperationRow)[]).map(
    (name) => sql`(${columns[name] ?? empty[name] ?? sql`NULL`})::${sql.raw(types[name])} AS ${sql.ref(name)}`,
  )
  return sql`SELECT ${sql.lit(kind)}::text AS kind, ${sql.join(each)} FROM ${from(deps)}`
}
