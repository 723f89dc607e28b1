import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Templates of iStage and the configurations that are made from them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Those of the provider stand under its account; every customer sees them. One that is deleted stays for its configurations.
  CREATE TABLE istage_template (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    type text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('standard', 'custom')),
    version text NOT NULL,
    name text NOT NULL,
    -- The imported file (templatejson), checked and with its defaults filled in.
    content jsonb NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    imported_at timestamptz NOT NULL,
    deleted_at timestamptz
  );
  CREATE UNIQUE INDEX istage_template_version ON istage_template (account_kid, type, version) WHERE deleted_at IS NULL;
  CREATE INDEX istage_template_imported ON istage_template (account_kid, imported_at, kid) WHERE deleted_at IS NULL;

  -- What is to be set on devices. content: module -> objects -> parameter -> value.
  CREATE TABLE istage_config (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    type text NOT NULL,
    version text NOT NULL,
    template_kid uuid NOT NULL REFERENCES istage_template,
    status text NOT NULL CHECK (status IN ('incomplete', 'completed')),
    content jsonb NOT NULL,
    -- Of type, version and content; one that is incomplete has none.
    content_hash text,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK ((status = 'completed') = (content_hash IS NOT NULL))
  );
  CREATE UNIQUE INDEX istage_config_name ON istage_config (account_kid, lower(name));
  CREATE UNIQUE INDEX istage_config_content ON istage_config (account_kid, content_hash);
  CREATE INDEX istage_config_updated ON istage_config (account_kid, updated_at, kid);
  CREATE INDEX istage_config_template ON istage_config (template_kid);
`
