import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/** What a value of a row, as JSON, may be in SQL. */
type TypeOf<V> = V extends null | undefined
  ? never
  : V extends Date
    ? 'timestamptz'
    : V extends string
      ? 'uuid' | 'text' | 'timestamptz' | 'date'
      : V extends number
        ? 'integer' | 'bigint' | 'real' | 'float8'
        : V extends boolean
          ? 'boolean'
          : 'text[]' | 'jsonb'

type Trimmed<S extends string> = S extends ` ${infer T}` | `\n${infer T}` ? Trimmed<T> : S
type Fault<R, C extends string> = C extends `${infer One},${infer Rest}`
  ? Fault<R, One> | Fault<R, Rest>
  : Trimmed<C> extends `${infer K extends keyof R & string} ${infer T}`
    ? T extends TypeOf<R[K]>
      ? never
      : `${K} is no ${T}`
    : `the rows have no ${Trimmed<C>}`
type Checked<R, C extends string> = [Fault<R, C>] extends [never] ? unknown : { fault: Fault<R, C> }

/** Rows as a table of a statement: ``sql`… FROM ${records(rows).as('r(kid uuid, at timestamptz)')} WHERE t.kid = r.kid` ``. */
export const records = <R extends object>(rows: readonly R[]) => ({
  as: <const C extends string>(named: `${string}(${C})` & Checked<R, C>): RawBuilder<R> =>
    sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS ${sql.raw(named)}`,
})
