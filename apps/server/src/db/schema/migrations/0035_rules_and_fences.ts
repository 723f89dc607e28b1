import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Required apps may ask for one version, and go out in steps. Fences may be polygons, which some devices watch themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE app_requirement ADD COLUMN version_kid uuid, ADD COLUMN rollout jsonb`.execute(db)
  await sql`ALTER TABLE electronic_fence ADD COLUMN points jsonb`.execute(db)
  await sql`ALTER TABLE terminal ADD COLUMN judges_polygons boolean NOT NULL DEFAULT false`.execute(db)
}
