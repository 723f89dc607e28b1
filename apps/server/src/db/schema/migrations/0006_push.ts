import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Push tasks: what devices are to do, for which devices, and how far each is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  CREATE TABLE push_task (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account,
    type text NOT NULL,
    -- The password of a lock is dropped when its task has ended.
    payload jsonb NOT NULL,
    summary text NOT NULL,
    description text NOT NULL,
    remark text NOT NULL DEFAULT '',
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_by_token_kid uuid,
    created_at timestamptz NOT NULL,
    schedule_kid uuid,
    requirement_kid uuid,
    -- Groups that the person who pushed was limited to; null: to none.
    visible_groups uuid[],
    -- Where it is, and since when.
    phase text NOT NULL DEFAULT 'running',
    phase_at timestamptz,
    paused_because text,
    start_at timestamptz,
    open_until timestamptz,
    ended_at timestamptz,
    -- The rows that may be sent are those of the phase and the step; of a canceled push, all have been canceled.
    rows_in_sync boolean NOT NULL DEFAULT true,
    decided_by text,
    decided_at timestamptz,
    -- Null: the server, or nobody. Its devices are canceled in the background, in the name of this person.
    canceled_by text,
    -- A retry that waits for its time, or is worked off in the background.
    retry jsonb,
    retry_at timestamptz,
    -- What devices wait for, and the steps in which it goes out.
    conditions jsonb NOT NULL DEFAULT '{}',
    rollout jsonb,
    step integer,
    -- The step whose thresholds a person has waived by resuming it.
    waived_step integer,
    -- Devices that it is for. They stand in a list that is frozen first, and are made into rows from there; without a
    -- list the rows were made at once.
    target_count integer NOT NULL DEFAULT 0,
    list_kid uuid,
    -- Of target_count, devices that were looked at while the list is being frozen; null: it is.
    frozen_count integer,
    -- The last row of the list that was made into a device's row.
    list_at jsonb,
    -- Devices that match this later are taken in.
    later jsonb,
    left_out integer NOT NULL DEFAULT 0,
    -- Of left_out, devices that left while rows were made.
    left_out_gone integer NOT NULL DEFAULT 0,
    -- Devices with a row, by their state; gone are those of failed whose device left.
    total integer NOT NULL,
    wait_receipt integer NOT NULL,
    completed integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    canceled integer NOT NULL DEFAULT 0,
    gone integer NOT NULL DEFAULT 0
  );
  CREATE INDEX push_task_created ON push_task (account_kid, created_at, kid);
  CREATE INDEX push_task_by_type ON push_task (account_kid, type, created_at);
  CREATE INDEX push_task_requirement ON push_task (requirement_kid, created_at) WHERE requirement_kid IS NOT NULL;
  CREATE INDEX push_task_approval ON push_task (account_kid) WHERE phase = 'awaiting_approval';
  CREATE INDEX push_task_list ON push_task (list_kid) WHERE list_kid IS NOT NULL;
  CREATE INDEX push_task_ended ON push_task (ended_at) WHERE ended_at IS NOT NULL;
  -- What the server itself has to go on with: few among very many.
  CREATE INDEX push_task_to_make ON push_task (phase, start_at, kid) WHERE phase IN ('planned', 'creating');
  CREATE INDEX push_task_rollout ON push_task (kid) WHERE phase = 'running' AND rollout IS NOT NULL;
  CREATE INDEX push_task_out_of_sync ON push_task (kid) WHERE NOT rows_in_sync;
  CREATE INDEX push_task_closing ON push_task (open_until) WHERE phase IN ('running', 'paused') AND open_until IS NOT NULL;
  CREATE INDEX push_task_retry ON push_task (retry_at) WHERE retry_at IS NOT NULL;
  -- Which pushes still need a file, asked before it is deleted; a platform file may be pushed by any account.
  CREATE INDEX push_task_files ON push_task USING gin (payload jsonb_path_ops) WHERE type = 'file' AND ended_at IS NULL;
  CREATE INDEX push_task_os ON push_task ((payload ->> 'os_version_kid')) WHERE type = 'os';

  -- The steps of a rollout.
  CREATE TABLE push_task_step (
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    step integer NOT NULL,
    total integer NOT NULL,
    completed integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    canceled integer NOT NULL DEFAULT 0,
    gone integer NOT NULL DEFAULT 0,
    opened_at timestamptz,
    PRIMARY KEY (push_task_kid, step)
  );

  -- Apps that a push brings, those that others need included. An app with push tasks is not deleted.
  CREATE TABLE push_task_app (
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    app_kid uuid NOT NULL CONSTRAINT push_task_app_kept REFERENCES app,
    account_kid uuid NOT NULL,
    version_kid uuid NOT NULL,
    PRIMARY KEY (push_task_kid, app_kid)
  );
  CREATE INDEX push_task_app_of ON push_task_app (app_kid, version_kid);

  -- One device of a push

  CREATE TABLE push_task_terminal (
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    sn text NOT NULL,
    type text NOT NULL,
    step integer,
    state text NOT NULL DEFAULT 'wait_receipt',
    state_at timestamptz NOT NULL,
    attempt integer NOT NULL DEFAULT 1,
    version integer NOT NULL DEFAULT 0,
    progress real NOT NULL DEFAULT 0,
    -- When the server is to send this (again); null once nothing is owed to the device.
    send_at timestamptz,
    -- When this attempt was first handed to a connection of the device, which may have it since then.
    sent_at timestamptz,
    -- Until then the device may begin, where the push has conditions to wait for, and what it said that it waits for.
    open_until timestamptz,
    waits jsonb,
    deadline_at timestamptz,
    -- The deadline has passed, and the device was asked to stop.
    is_overdue boolean NOT NULL DEFAULT false,
    cancel_asked_at timestamptz,
    code text,
    message text,
    result_object text,
    result_text text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (push_task_kid, terminal_kid)
  ) WITH (fillfactor = 80);
  CREATE INDEX push_task_terminal_terminal ON push_task_terminal (terminal_kid, created_at, push_task_kid);
  CREATE INDEX push_task_terminal_send ON push_task_terminal (send_at) WHERE send_at IS NOT NULL;
  CREATE INDEX push_task_terminal_deadline ON push_task_terminal (deadline_at) WHERE deadline_at IS NOT NULL;
  -- Rows that nothing is sent for: their step has not begun, or the push is paused.
  CREATE INDEX push_task_terminal_held ON push_task_terminal (push_task_kid, step, terminal_kid)
    WHERE state = 'wait_receipt' AND send_at IS NULL;
  -- Devices that were given a change of a step and have not said what became of it.
  CREATE INDEX push_task_terminal_configuration ON push_task_terminal (terminal_kid)
    WHERE type = 'configuration' AND state = 'wait_receipt' AND sent_at IS NOT NULL;
  CREATE INDEX push_task_terminal_failed ON push_task_terminal (state_at) WHERE state = 'failed';
  -- What devices uploaded for a push, by its age.
  CREATE INDEX push_task_terminal_result ON push_task_terminal (state_at) WHERE result_object IS NOT NULL;

  -- By far the largest part of a push is what happened on its devices: it goes by months, as what devices say does.
  CREATE TABLE push_task_activity (
    kid uuid NOT NULL,
    account_kid uuid NOT NULL,
    push_task_kid uuid NOT NULL REFERENCES push_task ON DELETE CASCADE,
    terminal_kid uuid NOT NULL,
    attempt integer NOT NULL,
    event text NOT NULL,
    at timestamptz NOT NULL,
    code text,
    message text,
    by_name text
  ) PARTITION BY RANGE (at);
  CREATE INDEX push_task_activity_one ON push_task_activity (push_task_kid, terminal_kid, at);

  -- What a device may upload, once, for a push or for a person who asked.
  CREATE TABLE device_slot (
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
  );
  CREATE UNIQUE INDEX device_slot_task ON device_slot (push_task_kid, terminal_kid, attempt);

  -- Devices of a push, frozen: those of a preview until a push takes it over

  CREATE TABLE push_list (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    type text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_at timestamptz NOT NULL,
    total integer NOT NULL DEFAULT 0,
    push_task_kid uuid REFERENCES push_task ON DELETE CASCADE,
    later jsonb,
    -- By what devices were left out: the push has to be for the same.
    rules jsonb,
    -- Its devices are still being looked up, and how far that is; the push shows it.
    freezing jsonb
  );
  CREATE INDEX push_list_by ON push_list (account_kid, created_by_kid, created_at);
  CREATE INDEX push_list_task ON push_list (push_task_kid) WHERE push_task_kid IS NOT NULL;
  CREATE INDEX push_list_freezing ON push_list (created_at) WHERE freezing IS NOT NULL;

  CREATE TABLE push_list_terminal (
    push_list_kid uuid NOT NULL REFERENCES push_list ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    -- The order in which rows are made and steps are filled: random, picked devices first.
    order_key integer NOT NULL,
    terminal_kid uuid NOT NULL,
    sn text NOT NULL,
    -- Why it is left out; null: it is not.
    reason text,
    PRIMARY KEY (push_list_kid, order_key, terminal_kid)
  );
  CREATE UNIQUE INDEX push_list_terminal_one ON push_list_terminal (push_list_kid, terminal_kid);
  CREATE INDEX push_list_terminal_out ON push_list_terminal (push_list_kid, reason, sn) WHERE reason IS NOT NULL;

  -- Pushes to come

  CREATE TABLE push_schedule (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL,
    -- The payload as it was given, sealed: it may hold a password.
    payload_sealed text NOT NULL,
    summary text NOT NULL,
    description text NOT NULL,
    "to" jsonb NOT NULL,
    conditions jsonb NOT NULL,
    rollout jsonb,
    cron text NOT NULL,
    zone text NOT NULL,
    is_on boolean NOT NULL,
    created_by_kid uuid NOT NULL,
    created_by text NOT NULL,
    created_by_token_kid uuid,
    created_at timestamptz NOT NULL,
    next_at timestamptz,
    last_at timestamptz,
    last_task_kid uuid,
    last_error jsonb,
    runs integer NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX push_schedule_name ON push_schedule (account_kid, lower(name));
  CREATE INDEX push_schedule_due ON push_schedule (next_at) WHERE next_at IS NOT NULL;

  CREATE TABLE push_template (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    summary text NOT NULL,
    description text NOT NULL,
    conditions jsonb NOT NULL,
    rollout jsonb,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE UNIQUE INDEX push_template_name ON push_template (account_kid, lower(name));
`
