import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** One statement an entry: the wire protocol runs them one by one, inside the migrator's transaction. */
const statements = [
  `CREATE EXTENSION IF NOT EXISTS pg_trgm`,

  // Who is there. The provider is the one account of type 101; a tenant is one of type 1 or 2.
  `CREATE TABLE account (
    kid uuid PRIMARY KEY,
    parent_kid uuid REFERENCES account,
    type smallint NOT NULL CHECK (type IN (1, 2, 101)),
    name text NOT NULL,
    organization_name text,
    status text NOT NULL DEFAULT 'normal' CHECK (status IN ('normal', 'init', 'invalid')),
    terminal_max bigint NOT NULL DEFAULT 0,
    terminal_count bigint NOT NULL DEFAULT 0,
    sub_accounts_allowed boolean NOT NULL DEFAULT false,
    expire_time timestamptz,
    fae_name text,
    remark text NOT NULL DEFAULT '',
    last_use_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE UNIQUE INDEX account_one_provider ON account (type) WHERE type = 101`,
  `CREATE INDEX account_name ON account (type, lower(name), kid)`,

  // People who sign in: 1 and 2 are the root login of their account, 3 a person of an account, 101 provider staff.
  `CREATE TABLE user_account (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    type smallint NOT NULL CHECK (type IN (1, 2, 3, 101)),
    username text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    phone text,
    email text,
    status text NOT NULL DEFAULT 'normal' CHECK (status IN ('normal', 'init', 'invalid')),
    language text,
    zone_id text,
    map_type text,
    remark text NOT NULL DEFAULT '',
    last_use_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE UNIQUE INDEX user_account_username ON user_account (lower(username))`,
  `CREATE INDEX user_account_account ON user_account (account_kid)`,
  `CREATE TABLE role (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    parent_kid uuid REFERENCES role,
    code text NOT NULL,
    name text NOT NULL,
    weight integer NOT NULL DEFAULT 0,
    permissions text[] NOT NULL DEFAULT '{}',
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_kid, code)
  )`,
  `CREATE TABLE user_role (
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    role_kid uuid NOT NULL REFERENCES role,
    PRIMARY KEY (user_kid, role_kid)
  )`,
  `CREATE INDEX user_role_role ON user_role (role_kid)`,
  `CREATE TABLE session (
    kid uuid PRIMARY KEY,
    token_hash bytea NOT NULL UNIQUE,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    enter_kid uuid REFERENCES account,
    address text NOT NULL,
    user_agent text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    last_use_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX session_by_user ON session (user_kid)`,
  `CREATE INDEX session_expires ON session (expires_at)`,
  `CREATE TABLE login_failure (
    key text PRIMARY KEY,
    failures integer NOT NULL,
    first_at timestamptz NOT NULL,
    locked_until timestamptz
  )`,
  `CREATE TABLE puzzle (
    kid uuid PRIMARY KEY,
    offset_x integer NOT NULL,
    address text NOT NULL,
    created_at timestamptz NOT NULL,
    answered_at timestamptz,
    token_hash bytea UNIQUE,
    token_expires_at timestamptz
  )`,
  `CREATE INDEX puzzle_created ON puzzle (created_at)`,
  `CREATE TABLE menu_tree (
    kid uuid PRIMARY KEY,
    p_id uuid REFERENCES menu_tree,
    code text NOT NULL UNIQUE,
    name jsonb NOT NULL,
    access_code text,
    type text NOT NULL CHECK (type IN ('module', 'group', 'page', 'operation')),
    path text,
    icon text,
    visible smallint NOT NULL DEFAULT 1,
    end_type smallint NOT NULL CHECK (end_type IN (1, 2)),
    sort integer NOT NULL,
    is_seeded boolean NOT NULL DEFAULT false
  )`,

  // Devices
  `CREATE TABLE terminal_group (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    parent_kid uuid REFERENCES terminal_group,
    name text NOT NULL,
    depth smallint NOT NULL CHECK (depth BETWEEN 1 AND 10),
    terminal_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE UNIQUE INDEX terminal_group_name ON terminal_group (account_kid, COALESCE(parent_kid, account_kid), lower(name))`,
  `CREATE INDEX terminal_group_parent ON terminal_group (parent_kid)`,
  `CREATE TABLE terminal_group_user_manged (
    account_kid uuid NOT NULL REFERENCES account,
    user_kid uuid NOT NULL REFERENCES user_account ON DELETE CASCADE,
    terminal_group_kid uuid NOT NULL REFERENCES terminal_group ON DELETE CASCADE,
    PRIMARY KEY (user_kid, terminal_group_kid)
  )`,
  `CREATE TABLE announcement (
    sn text PRIMARY KEY,
    claim_hash bytea NOT NULL,
    registration_code text NOT NULL,
    wrong_codes integer NOT NULL DEFAULT 0,
    device jsonb NOT NULL,
    address text NOT NULL,
    announced_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX announcement_expires ON announcement (expires_at)`,
  `CREATE INDEX announcement_address ON announcement (address)`,
  `CREATE TABLE scrapped_sn (
    sn text PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    scrapped_at timestamptz NOT NULL
  )`,
  // What a device is: changes when somebody does something.
  `CREATE TABLE terminal (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    terminal_group_kid uuid REFERENCES terminal_group,
    sn text NOT NULL UNIQUE,
    name text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    os_name text NOT NULL DEFAULT '',
    os_version text NOT NULL DEFAULT '',
    service_version text NOT NULL DEFAULT '',
    protocol_version integer NOT NULL DEFAULT 1,
    imei text,
    resolution text,
    host text,
    qrcode_kid uuid,
    claim_hash bytea NOT NULL,
    secret_hash bytea,
    first_connected_at timestamptz,
    quarantined_until timestamptz,
    registered_at timestamptz NOT NULL,
    search text GENERATED ALWAYS AS (lower(sn || ' ' || name || ' ' || COALESCE(imei, ''))) STORED
  )`,
  `CREATE INDEX terminal_by_sn ON terminal (account_kid, sn, kid)`,
  `CREATE INDEX terminal_by_name ON terminal (account_kid, name, kid)`,
  `CREATE INDEX terminal_by_model ON terminal (account_kid, model, kid)`,
  `CREATE INDEX terminal_by_os_version ON terminal (account_kid, os_version, kid)`,
  `CREATE INDEX terminal_by_registered_at ON terminal (account_kid, registered_at, kid)`,
  `CREATE INDEX terminal_by_group ON terminal (terminal_group_kid, registered_at, kid)`,
  `CREATE INDEX terminal_no_group ON terminal (account_kid, registered_at, kid) WHERE terminal_group_kid IS NULL`,
  `CREATE INDEX terminal_search ON terminal USING gin (search gin_trgm_ops)`,
  // How a device is: changes all the time, so it lives apart from the row above and its indexes.
  `CREATE TABLE terminal_state (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    is_online boolean NOT NULL DEFAULT false,
    epoch text,
    node_kid uuid,
    transport text,
    public_ip text,
    connected_at timestamptz,
    last_online_at timestamptz,
    last_contact_at timestamptz,
    boot_id text,
    boot_at timestamptz,
    device_time timestamptz,
    clock_is_off boolean NOT NULL DEFAULT false,
    last_seq bigint,
    config_version bigint,
    state_at timestamptz,
    battery_level real,
    battery_charging text,
    network_type text,
    signal real,
    battery jsonb,
    network jsonb,
    sims jsonb,
    wifi jsonb,
    run jsonb,
    location jsonb,
    foreground_app text
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX terminal_state_by_battery ON terminal_state (account_kid, battery_level, terminal_kid)`,
  `CREATE INDEX terminal_state_by_last_online ON terminal_state (account_kid, last_online_at, terminal_kid)`,
  `CREATE INDEX terminal_state_online ON terminal_state (account_kid, is_online, terminal_kid)`,
  `CREATE INDEX terminal_state_node ON terminal_state (node_kid) WHERE is_online`,
  `CREATE TABLE terminal_inventory (
    terminal_kid uuid PRIMARY KEY REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    packages jsonb NOT NULL DEFAULT '[]',
    updated_at timestamptz NOT NULL
  )`,
  `CREATE TABLE qrcode (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    token_hash bytea NOT NULL UNIQUE,
    terminal_group_kid uuid REFERENCES terminal_group ON DELETE SET NULL,
    created_by_kid uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    terminal_kid uuid,
    sn text
  )`,

  // History, partitioned by month of receipt: retention drops whole partitions.
  `CREATE TABLE terminal_report (
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    received_at timestamptz NOT NULL,
    device_time timestamptz NOT NULL,
    seq bigint NOT NULL,
    battery_level real,
    cpu real,
    memory_used bigint,
    memory_total bigint,
    storage_used bigint,
    storage_total bigint,
    parts jsonb NOT NULL
  ) PARTITION BY RANGE (received_at)`,
  `CREATE INDEX terminal_report_terminal ON terminal_report (terminal_kid, received_at)`,
  `CREATE TABLE terminal_event (
    kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    type text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    detail jsonb NOT NULL
  ) PARTITION BY RANGE (received_at)`,
  `CREATE INDEX terminal_event_terminal ON terminal_event (terminal_kid, at, kid)`,
  `CREATE TABLE terminal_session (
    epoch text NOT NULL,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    node_kid uuid NOT NULL,
    address text NOT NULL,
    connected_at timestamptz NOT NULL,
    disconnected_at timestamptz
  ) PARTITION BY RANGE (connected_at)`,
  `CREATE INDEX terminal_session_terminal ON terminal_session (terminal_kid, connected_at)`,
  `CREATE TABLE operation_log (
    kid uuid NOT NULL,
    account_kid uuid,
    account_name text,
    operator_kid uuid,
    operator_name text NOT NULL,
    operator_username text NOT NULL,
    module_code text NOT NULL,
    action_code text NOT NULL,
    ip text NOT NULL,
    result integer NOT NULL,
    message text NOT NULL,
    duration_ms integer NOT NULL,
    created_at timestamptz NOT NULL,
    client jsonb NOT NULL,
    request jsonb NOT NULL,
    response jsonb NOT NULL,
    tracks jsonb NOT NULL DEFAULT '[]',
    remark text NOT NULL DEFAULT '',
    search text GENERATED ALWAYS AS (lower(operator_name || ' ' || operator_username || ' ' || module_code || ' ' || action_code || ' ' || message)) STORED
  ) PARTITION BY RANGE (created_at)`,
  `CREATE INDEX operation_log_account ON operation_log (account_kid, created_at, kid)`,
  `CREATE INDEX operation_log_created ON operation_log (created_at, kid)`,
  `CREATE INDEX operation_log_kid ON operation_log (kid)`,

  // Files. Objects live in the object store; a row is what makes one reachable.
  `CREATE TABLE upload (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    user_kid uuid NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    object text,
    md5 text,
    sha256 text,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    claimed_at timestamptz
  )`,
  `CREATE INDEX upload_created ON upload (created_at)`,
  `CREATE TABLE file_cloud (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    name text NOT NULL,
    size bigint NOT NULL,
    md5 text NOT NULL,
    sha256 text NOT NULL,
    content_type text NOT NULL,
    object text NOT NULL,
    push_count integer NOT NULL DEFAULT 0,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX file_cloud_name ON file_cloud (account_kid, lower(name))`,
  `CREATE INDEX file_cloud_created ON file_cloud (account_kid, created_at, kid)`,
  `CREATE INDEX file_cloud_object ON file_cloud (object)`,

  // Push tasks
  `CREATE TABLE push_task (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    type text NOT NULL,
    payload jsonb NOT NULL,
    description text NOT NULL,
    summary text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    total integer NOT NULL,
    wait_receipt integer NOT NULL,
    completed integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    canceled integer NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX push_task_created ON push_task (account_kid, created_at, kid)`,
  `CREATE TABLE push_task_terminal (
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    sn text NOT NULL,
    type text NOT NULL,
    state text NOT NULL DEFAULT 'wait_receipt',
    state_at timestamptz NOT NULL,
    attempt integer NOT NULL DEFAULT 1,
    version integer NOT NULL DEFAULT 0,
    progress real NOT NULL DEFAULT 0,
    cancel_asked_at timestamptz,
    code text,
    message text,
    result_object text,
    result_text text,
    deadline_at timestamptz,
    send_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (push_task_kid, terminal_kid)
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX push_task_terminal_terminal ON push_task_terminal (terminal_kid, created_at, push_task_kid)`,
  `CREATE INDEX push_task_terminal_deadline ON push_task_terminal (deadline_at) WHERE deadline_at IS NOT NULL`,
  // send_at: when the server is to send this (again); NULL once nothing is owed to the device.
  `CREATE INDEX push_task_terminal_send ON push_task_terminal (send_at) WHERE send_at IS NOT NULL`,
  `CREATE TABLE push_task_activity (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    attempt integer NOT NULL,
    event text NOT NULL,
    at timestamptz NOT NULL,
    code text,
    message text,
    by_name text
  )`,
  `CREATE INDEX push_task_activity_one ON push_task_activity (push_task_kid, terminal_kid, at)`,
  `CREATE TABLE device_slot (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    push_task_kid uuid REFERENCES push_task ON DELETE CASCADE,
    attempt integer NOT NULL,
    kind text NOT NULL,
    max_bytes bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    object text,
    used_at timestamptz
  )`,
  `CREATE UNIQUE INDEX device_slot_task ON device_slot (push_task_kid, terminal_kid, attempt)`,

  // Reference data
  `CREATE TABLE client_code (
    kid uuid PRIMARY KEY,
    code text NOT NULL,
    name text NOT NULL,
    remark text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX client_code_code ON client_code (lower(code))`,
  `CREATE UNIQUE INDEX client_code_name ON client_code (lower(name))`,

  // The system itself
  `CREATE TABLE node (kid uuid PRIMARY KEY, started_at timestamptz NOT NULL, seen_at timestamptz NOT NULL)`,
  `CREATE TABLE job (
    name text PRIMARY KEY,
    run_at timestamptz NOT NULL,
    locked_by uuid,
    locked_until timestamptz,
    last_started_at timestamptz,
    last_finished_at timestamptz,
    last_error text
  )`,
  `CREATE TABLE setting (key text PRIMARY KEY, value jsonb NOT NULL)`,

  // Counts kept by the database, so that no code path can forget them and no list has to count.
  `CREATE FUNCTION terminal_counts() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$`,
  `CREATE FUNCTION terminal_regrouped() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$`,
  `CREATE TRIGGER terminal_inserted AFTER INSERT ON terminal REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION terminal_counts()`,
  `CREATE TRIGGER terminal_deleted AFTER DELETE ON terminal REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION terminal_counts()`,
  `CREATE TRIGGER terminal_updated AFTER UPDATE ON terminal REFERENCING OLD TABLE AS gone NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION terminal_regrouped()`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
