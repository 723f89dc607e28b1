import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Devices: their groups, what they are, and how they are at present. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Groups and fields that an account gives its devices

  CREATE TABLE terminal_group (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    parent_kid uuid REFERENCES terminal_group,
    name text NOT NULL,
    depth smallint NOT NULL CHECK (depth BETWEEN 1 AND 10),
    -- Devices in the group itself, without those of groups below it.
    terminal_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX terminal_group_name ON terminal_group (account_kid, COALESCE(parent_kid, account_kid), lower(name));
  CREATE INDEX terminal_group_parent ON terminal_group (parent_kid);

  -- Groups that a person is limited to.
  CREATE TABLE terminal_group_user_manged (
    account_kid uuid NOT NULL REFERENCES account,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    terminal_group_kid uuid NOT NULL REFERENCES terminal_group ON DELETE CASCADE,
    PRIMARY KEY (user_kid, terminal_group_kid)
  );

  -- Saved filters.
  CREATE TABLE terminal_dynamic_group (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    "where" jsonb NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX terminal_dynamic_group_name ON terminal_dynamic_group (account_kid, lower(name));

  CREATE TABLE custom_field (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('text', 'number', 'date', 'choice', 'yes_no')),
    choices text[] NOT NULL DEFAULT '{}',
    sort integer NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX custom_field_name ON custom_field (account_kid, lower(name));

  -- Tags that an account has ever used, in one spelling each: finding them on the devices would read every device.
  CREATE TABLE terminal_tag (
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL
  );
  CREATE UNIQUE INDEX terminal_tag_name ON terminal_tag (account_kid, lower(name));

  -- What a device is: changes when somebody does something.

  CREATE TABLE terminal (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    terminal_group_kid uuid REFERENCES terminal_group,
    -- In capitals (decision 057).
    sn text NOT NULL UNIQUE,
    name text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    imei text,
    resolution text,
    host text,
    -- Its operating system, as the device says.
    os_name text NOT NULL DEFAULT '',
    os_version text NOT NULL DEFAULT '',
    uid text NOT NULL DEFAULT '',
    version_code bigint,
    ver bigint,
    -- Its agent, and what that can do; null until it has said.
    service_version text NOT NULL DEFAULT '',
    protocol_version integer NOT NULL DEFAULT 1,
    task_types text[],
    config_sections text[],
    package_kinds text[],
    abis text[],
    sdk integer,
    -- Bytes of the largest packet that it takes.
    max_packet integer,
    -- It says itself where it is of its fence.
    judges_fence boolean NOT NULL DEFAULT false,
    -- How it came, and how it proves who it is.
    registered_at timestamptz NOT NULL,
    qrcode_kid uuid,
    -- The code that it showed when it was registered, used up since; null of a device that came by a QR code.
    registration_code text,
    work_order text,
    claim_hash bytea NOT NULL,
    secret_hash bytea,
    -- Its secret is to be renewed: it is registered again by the code that it shows.
    renewal_asked_at timestamptz,
    first_connected_at timestamptz,
    quarantined_until timestamptz,
    -- What the account gives it: values of custom fields by their kid, and tags.
    fields jsonb NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}' CONSTRAINT terminal_tags_max CHECK (cardinality(tags) <= 20),
    search text GENERATED ALWAYS AS (lower(sn || ' ' || name || ' ' || COALESCE(imei, ''))) STORED
  );
  CREATE INDEX terminal_by_sn ON terminal (account_kid, sn, kid);
  CREATE INDEX terminal_by_name ON terminal (account_kid, name, kid);
  CREATE INDEX terminal_by_model ON terminal (account_kid, model, kid);
  CREATE INDEX terminal_by_os_version ON terminal (account_kid, os_version, kid);
  CREATE INDEX terminal_by_uid ON terminal (account_kid, uid, kid);
  CREATE INDEX terminal_by_registered_at ON terminal (account_kid, registered_at, kid);
  CREATE INDEX terminal_by_group ON terminal (terminal_group_kid, registered_at, kid);
  CREATE INDEX terminal_no_group ON terminal (account_kid, registered_at, kid) WHERE terminal_group_kid IS NULL;
  CREATE INDEX terminal_search ON terminal USING gin (search gin_trgm_ops);
  -- Of all operators of jsonb: lists ask which devices have a field at all, and which have a value in it.
  CREATE INDEX terminal_fields ON terminal USING gin (fields);
  CREATE INDEX terminal_tags ON terminal USING gin (tags);
  -- Devices of one model and system version are counted and sorted together.
  CREATE INDEX terminal_by_model_and_version ON terminal (account_kid, model, os_version, registered_at, kid);
  -- Home asks for them at every visit: few among very many devices.
  CREATE INDEX terminal_quarantined ON terminal (account_kid, quarantined_until, kid) WHERE quarantined_until IS NOT NULL;
  -- Of all accounts: the provider's search, and how many devices run a UID.
  CREATE INDEX terminal_registered ON terminal (registered_at, kid);
  CREATE INDEX terminal_sn_prefix ON terminal (lower(sn) text_pattern_ops, kid);
  CREATE INDEX terminal_uid ON terminal (lower(uid)) WHERE uid <> '';

  -- Counts are kept by the database, so that no code path can forget them and no list has to count.
  CREATE FUNCTION terminal_counts() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      UPDATE account a SET terminal_count = a.terminal_count - c.n
        FROM (SELECT account_kid, count(*) n FROM gone GROUP BY 1) c WHERE a.kid = c.account_kid;
      UPDATE terminal_group g SET terminal_count = g.terminal_count - c.n
        FROM (SELECT terminal_group_kid, count(*) n FROM gone WHERE terminal_group_kid IS NOT NULL GROUP BY 1) c
        WHERE g.kid = c.terminal_group_kid;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      UPDATE account a SET terminal_count = a.terminal_count + c.n
        FROM (SELECT account_kid, count(*) n FROM fresh GROUP BY 1) c WHERE a.kid = c.account_kid;
      UPDATE terminal_group g SET terminal_count = g.terminal_count + c.n
        FROM (SELECT terminal_group_kid, count(*) n FROM fresh WHERE terminal_group_kid IS NOT NULL GROUP BY 1) c
        WHERE g.kid = c.terminal_group_kid;
    END IF;
    RETURN NULL;
  END $$;
  CREATE FUNCTION terminal_regrouped() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE terminal_group g SET terminal_count = g.terminal_count + c.n
      FROM (
        SELECT kid, sum(n)::int n FROM (
          SELECT f.terminal_group_kid kid, 1 n FROM fresh f JOIN gone o USING (kid) WHERE f.terminal_group_kid IS DISTINCT FROM o.terminal_group_kid
          UNION ALL
          SELECT o.terminal_group_kid, -1 FROM fresh f JOIN gone o USING (kid) WHERE f.terminal_group_kid IS DISTINCT FROM o.terminal_group_kid
        ) moved WHERE kid IS NOT NULL GROUP BY kid
      ) c WHERE g.kid = c.kid AND c.n <> 0;
    RETURN NULL;
  END $$;
  CREATE TRIGGER terminal_inserted AFTER INSERT ON terminal REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_counts();
  CREATE TRIGGER terminal_deleted AFTER DELETE ON terminal REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_counts();
  CREATE TRIGGER terminal_updated AFTER UPDATE ON terminal REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_regrouped();

  -- How a device is: changes all the time, so it lives apart from the row above and its indexes.

  CREATE TABLE terminal_state (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    -- Its connection, and the server that holds it.
    is_online boolean NOT NULL DEFAULT false,
    epoch text,
    node_kid uuid,
    transport text,
    public_ip text,
    connected_at timestamptz,
    last_online_at timestamptz,
    last_contact_at timestamptz,
    last_seq bigint,
    config_version bigint,
    -- Its boot, and the one before as its hello told of it: one that comes back is another machine's.
    boot_id text,
    boot_at timestamptz,
    earlier_boot_id text,
    -- Machines that have answered with its secret, in turn: the evidence that the secret was copied.
    machines jsonb,
    device_time timestamptz,
    clock_is_off boolean NOT NULL DEFAULT false,
    -- Its last report.
    state_at timestamptz,
    battery_level real,
    battery_charging text,
    network_type text,
    signal real,
    foreground_app text,
    battery jsonb,
    network jsonb,
    sims jsonb,
    wifi jsonb,
    run jsonb,
    location jsonb,
    -- Where it is of its fence; null while none is set up for it.
    fence_state text CHECK (fence_state IN ('inside', 'outside')),
    -- What the list filters by. These columns change far less often than what they are made of, and only a change of an
    -- indexed column costs a report more than its row: an index over the signal itself would be written by most reports.
    is_metered boolean NOT NULL GENERATED ALWAYS AS (COALESCE(network @> '{"is_metered": true}', false)) STORED,
    is_roaming boolean NOT NULL GENERATED ALWAYS AS (COALESCE(network @> '{"is_roaming": true}', false)) STORED,
    has_foreground_app boolean NOT NULL GENERATED ALWAYS AS (COALESCE(foreground_app, '') <> '') STORED,
    signal_tens smallint GENERATED ALWAYS AS (floor(signal / 10)::smallint) STORED,
    storage_percent smallint GENERATED ALWAYS AS (
      CASE WHEN (run ->> 'storage_total')::numeric > 0 THEN
        least(100, round(100 * (run ->> 'storage_used')::numeric / (run ->> 'storage_total')::numeric))::smallint
      END) STORED
  ) WITH (fillfactor = 70);
  CREATE INDEX terminal_state_online ON terminal_state (account_kid, is_online, terminal_kid);
  CREATE INDEX terminal_state_by_last_online ON terminal_state (account_kid, last_online_at, terminal_kid);
  CREATE INDEX terminal_state_by_battery ON terminal_state (account_kid, battery_level, terminal_kid);
  CREATE INDEX terminal_state_network_type ON terminal_state (account_kid, network_type, terminal_kid);
  CREATE INDEX terminal_state_metered ON terminal_state (account_kid, is_metered, terminal_kid);
  CREATE INDEX terminal_state_roaming ON terminal_state (account_kid, is_roaming, terminal_kid);
  CREATE INDEX terminal_state_signal ON terminal_state (account_kid, signal_tens, terminal_kid);
  CREATE INDEX terminal_state_foreground ON terminal_state (account_kid, has_foreground_app, terminal_kid);
  CREATE INDEX terminal_state_fence ON terminal_state (account_kid, fence_state, terminal_kid);
  CREATE INDEX terminal_state_low_storage ON terminal_state (account_kid, storage_percent, terminal_kid)
    WHERE storage_percent >= 90;
  CREATE INDEX terminal_state_node ON terminal_state (node_kid) WHERE is_online;

  -- Where each device was last, apart from its state: there every report would write the indexes that a map needs.
  -- Places on the map are fractions of the square that web maps draw the world on.
  CREATE TABLE terminal_position (
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
  ) WITH (fillfactor = 80);
  CREATE INDEX terminal_position_map ON terminal_position (account_kid, map_y, map_x) INCLUDE (terminal_kid);

  -- A request to a device for its location, one at a time: held until it has answered or long enough has passed.
  CREATE TABLE location_refresh (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    expires_at timestamptz NOT NULL
  );

  -- Apps that are on devices, as devices last said

  CREATE TABLE terminal_inventory (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    packages jsonb NOT NULL DEFAULT '[]',
    updated_at timestamptz NOT NULL
  );

  -- The numbers of a version from left to right, so that 1.10 comes after 1.9; what else stands in it does not count.
  CREATE FUNCTION version_key(version text) RETURNS numeric[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT COALESCE(array_agg(part[1]::numeric ORDER BY place), '{}')
    FROM regexp_matches(version, '[0-9]+', 'g') WITH ORDINALITY AS found(part, place)
  $$;

  -- The same as rows: found by the app, not by the device.
  CREATE TABLE terminal_app (
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    package text NOT NULL,
    version text NOT NULL,
    version_code bigint,
    version_key numeric[] GENERATED ALWAYS AS (version_key(version)) STORED,
    PRIMARY KEY (terminal_kid, package)
  );
  CREATE INDEX terminal_app_found ON terminal_app (package, account_kid, version_key, terminal_kid);
  -- The software report reads one account in the order in which it groups.
  CREATE INDEX terminal_app_report ON terminal_app (account_kid, package, version);
`
