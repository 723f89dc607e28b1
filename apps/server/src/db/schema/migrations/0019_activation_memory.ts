import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What a private server and its provider remember of codes that others have taken the place of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Codes before the last renewals, oldest first: a server that still holds one of them is known by its receipt.
  ALTER TABLE activation ADD COLUMN earlier_codes text[] NOT NULL DEFAULT '{}';

  ALTER TABLE activation_here
    -- The file whose code was taken up last: it is not taken up again over what was typed since.
    ADD COLUMN file_sha256 text,
    -- Activations that the provider has eliminated, whatever is held by now.
    ADD COLUMN ended_kids uuid[] NOT NULL DEFAULT '{}',
    -- The provider has issued a newer code of what is held.
    ADD COLUMN is_renewed boolean NOT NULL DEFAULT false;
`
