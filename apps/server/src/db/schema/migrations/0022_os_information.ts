import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What devices say of their operating system, the lists that its UID is made of, and the UIDs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const lists = ['solution', 'hardware', 'rom_memory', 'ram_memory', 'screen', 'extended', 'language', 'client_code']

const statements = [
  `ALTER TABLE terminal ADD COLUMN uid text NOT NULL DEFAULT '', ADD COLUMN version_code bigint, ADD COLUMN ver bigint`,
  `CREATE INDEX terminal_by_uid ON terminal (account_kid, uid, kid)`,
  // Of all accounts: whether any device runs a UID, and how many do.
  `CREATE INDEX terminal_uid ON terminal (lower(uid)) WHERE uid <> ''`,

  `CREATE TABLE os_information (
    kid uuid PRIMARY KEY,
    list text NOT NULL CHECK (list IN (${lists.map((list) => `'${list}'`).join(', ')})),
    code text NOT NULL,
    name text NOT NULL,
    total_capacity text,
    chip_model text,
    supplier text,
    bom_code text,
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX os_information_code ON os_information (list, lower(code))`,
  `CREATE UNIQUE INDEX os_information_name ON os_information (list, lower(name))`,
  // Customer codes were the first of the lists, in a table of their own.
  `INSERT INTO os_information (kid, list, code, name, remark, created_at, updated_at)
   SELECT kid, 'client_code', code, name, remark, created_at, updated_at FROM client_code`,
  `DROP TABLE client_code`,

  `CREATE TABLE os_uid (
    kid uuid PRIMARY KEY,
    code text NOT NULL,
    display_name text NOT NULL,
    type text NOT NULL CHECK (type IN ('standard', 'custom')),
    ${lists.map((list) => `${list}_kid uuid NOT NULL REFERENCES os_information,`).join('\n    ')}
    reserve_code text NOT NULL,
    base_uid_kid uuid REFERENCES os_uid,
    base_os_version text,
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT os_uid_base CHECK ((type = 'custom') = (base_uid_kid IS NOT NULL AND base_os_version IS NOT NULL))
  )`,
  `CREATE UNIQUE INDEX os_uid_code ON os_uid (lower(code))`,
  `CREATE UNIQUE INDEX os_uid_display_name ON os_uid (lower(display_name))`,
  `CREATE INDEX os_uid_by_base ON os_uid (base_uid_kid) WHERE base_uid_kid IS NOT NULL`,
  ...lists.map((list) => `CREATE INDEX os_uid_by_${list} ON os_uid (${list}_kid)`),
]
