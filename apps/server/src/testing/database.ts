import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Kysely, Migration } from 'kysely'
import { openDatabase } from '../db/client.ts'
import { preparedImage } from '../db/embedded/image.ts'
import type { Database, OpenOptions } from '../db/client.ts'
import { startPostgres } from './postgres.ts'
import type { TestPostgres } from './postgres.ts'

export type Line = { level: 'info' | 'warn' | 'error'; fields: Record<string, unknown>; message: string }

/** A log that remembers. */
export function memoryLog() {
  const lines: Line[] = []
  const at = (level: Line['level']) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message })
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } }
}

export const temporaryDirectory = () => mkdtempSync(join(tmpdir(), 'mdm-db-'))
export const removeDirectory = (path: string) => rmSync(path, { recursive: true, force: true })

export const item_migrations: Record<string, Migration> = {
  '0001_item': {
    async up(db: Kysely<any>) {
      await sql`create table item (
        id bigint generated always as identity primary key,
        name text not null unique,
        size bigint not null default 0,
        facts jsonb not null default '{}',
        born date,
        made_at timestamptz not null default now()
      )`.execute(db)
    },
  },
}

export type ItemTables = {
  item: { id: number; name: string; size: number; facts: unknown; born: string | null; made_at: Date }
}
/** These tests bring tables of their own. */
export const as = <T>(db: Database): Kysely<T> => db.kysely as unknown as Kysely<T>

export type Place = {
  open(more?: Partial<OpenOptions>): Promise<Database>
  postgres?: TestPostgres
  remove(): Promise<void>
}

/** The two databases; `open` opens the same one again after a close. */
export const places: Record<'embedded' | 'postgres', () => Promise<Place>> = {
  async embedded() {
    const data_dir = temporaryDirectory()
    return {
      open: (more) =>
        openDatabase({
          data_dir,
          ...preparedImage(),
          migrations: item_migrations,
          log: memoryLog().log,
          maintenance_every_ms: 0,
          ...more,
        }),
      remove: async () => removeDirectory(data_dir),
    }
  },
  async postgres() {
    const postgres = await startPostgres()
    const url = await postgres.createDatabase()
    return {
      open: (more) => openDatabase({ url, migrations: item_migrations, log: memoryLog().log, ...more }),
      postgres,
      remove: () => postgres.stop(),
    }
  },
}
