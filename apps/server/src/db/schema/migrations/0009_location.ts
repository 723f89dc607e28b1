import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  // Where each device was last, apart from its state: there every report would write the indexes that a map needs.
  // Places on the map are fractions of the square that web maps draw the world on.
  `CREATE TABLE terminal_position (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    longitude double precision NOT NULL,
    latitude double precision NOT NULL,
    accuracy real,
    provider text,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    map_x double precision NOT NULL GENERATED ALWAYS AS ((longitude + 180) / 360) STORED,
    map_y double precision NOT NULL GENERATED ALWAYS AS
      (0.5 - ln(tan(pi() / 4 + least(greatest(latitude, -85.0511), 85.0511) * pi() / 360)) / (2 * pi())) STORED
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX terminal_position_map ON terminal_position (account_kid, map_y, map_x) INCLUDE (terminal_kid)`,
  // Where it has been: a row for every step that was far enough, partitioned by month of receipt.
  `CREATE TABLE terminal_track (
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    longitude double precision NOT NULL,
    latitude double precision NOT NULL,
    accuracy real,
    provider text,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL
  ) PARTITION BY RANGE (received_at)`,
  `CREATE INDEX terminal_track_terminal ON terminal_track (terminal_kid, at)`,
  // One at a time: whoever asks a device where it is holds this until it has answered or long enough has passed.
  `CREATE TABLE location_refresh (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  // Where a device is of its fence; null while none is set up for it.
  `ALTER TABLE terminal_state ADD fence_state text CHECK (fence_state IN ('inside', 'outside'))`,
  `CREATE INDEX terminal_state_fence ON terminal_state (account_kid, fence_state, terminal_kid)`,
  // Devices of one model and system version are counted and sorted together.
  `CREATE INDEX terminal_by_model_and_version ON terminal (account_kid, model, os_version, registered_at, kid)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
