import { sql } from 'kysely'
import type { Kysely } from 'kysely'

const statements = [
  `ALTER TABLE push_task
    ADD COLUMN gone integer NOT NULL DEFAULT 0,
    ADD COLUMN phase text NOT NULL DEFAULT 'running',
    ADD COLUMN phase_at timestamptz,
    ADD COLUMN paused_because text,
    ADD COLUMN conditions jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN rollout jsonb,
    ADD COLUMN meant integer NOT NULL DEFAULT 0,
    ADD COLUMN left_out integer NOT NULL DEFAULT 0,
    ADD COLUMN left_out_gone integer NOT NULL DEFAULT 0,
    ADD COLUMN list_kid uuid,
    ADD COLUMN list_at jsonb,
    ADD COLUMN later jsonb,
    ADD COLUMN reach uuid[],
    ADD COLUMN step integer,
    ADD COLUMN waived_step integer,
    ADD COLUMN is_settled boolean NOT NULL DEFAULT true,
    ADD COLUMN start_at timestamptz,
    ADD COLUMN open_until timestamptz,
    ADD COLUMN schedule_kid uuid,
    ADD COLUMN decided_by text,
    ADD COLUMN decided_at timestamptz,
    ADD COLUMN remark text NOT NULL DEFAULT '',
    ADD COLUMN ended_at timestamptz`,
  `UPDATE push_task SET meant = total, phase_at = created_at,
    phase = CASE WHEN completed + failed + canceled >= total THEN 'ended' ELSE 'running' END,
    ended_at = CASE WHEN completed + failed + canceled >= total THEN created_at END,
    gone = (SELECT count(*) FROM push_task_terminal p
      WHERE p.push_task_kid = push_task.kid AND p.state = 'failed' AND p.code = 'device_gone')`,
  // What the server itself has to go on with: few among very many.
  `CREATE INDEX push_task_to_make ON push_task (phase, start_at, kid) WHERE phase IN ('planned', 'creating')`,
  `CREATE INDEX push_task_rollout ON push_task (kid) WHERE phase = 'running' AND rollout IS NOT NULL`,
  `CREATE INDEX push_task_unsettled ON push_task (kid) WHERE NOT is_settled`,
  `CREATE INDEX push_task_closing ON push_task (open_until) WHERE phase IN ('running', 'paused') AND open_until IS NOT NULL`,
  `CREATE INDEX push_task_approval ON push_task (account_kid) WHERE phase = 'awaiting_approval'`,
  `CREATE INDEX push_task_ended ON push_task (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE INDEX push_task_list ON push_task (list_kid) WHERE list_kid IS NOT NULL`,
  `ALTER TABLE push_task_terminal
    ADD COLUMN step integer,
    ADD COLUMN open_until timestamptz,
    ADD COLUMN waits jsonb`,
  // Rows that nothing is sent for: their step has not begun, or the push is paused.
  `CREATE INDEX push_task_terminal_held ON push_task_terminal (push_task_kid, step, terminal_kid)
    WHERE state = 'wait_receipt' AND send_at IS NULL`,
  `CREATE TABLE push_list (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    type text NOT NULL,
    created_by_kid uuid NOT NULL,
    created_at timestamptz NOT NULL,
    total integer NOT NULL DEFAULT 0,
    push_task_kid uuid REFERENCES push_task ON DELETE CASCADE,
    later jsonb
  )`,
  `CREATE INDEX push_list_by ON push_list (account_kid, created_by_kid, created_at)`,
  `CREATE INDEX push_list_task ON push_list (push_task_kid) WHERE push_task_kid IS NOT NULL`,
  `CREATE TABLE push_list_terminal (
    push_list_kid uuid NOT NULL REFERENCES push_list ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    lot integer NOT NULL,
    terminal_kid uuid NOT NULL,
    sn text NOT NULL,
    reason text,
    PRIMARY KEY (push_list_kid, lot, terminal_kid)
  )`,
  `CREATE UNIQUE INDEX push_list_terminal_one ON push_list_terminal (push_list_kid, terminal_kid)`,
  `CREATE INDEX push_list_terminal_out ON push_list_terminal (push_list_kid, reason, sn) WHERE reason IS NOT NULL`,
  `CREATE TABLE push_task_step (
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
  )`,
  `CREATE TABLE push_schedule (
    kid uuid PRIMARY KEY,
    account_kid uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL,
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
    created_at timestamptz NOT NULL,
    next_at timestamptz,
    last_at timestamptz,
    last_task_kid uuid,
    last_error jsonb,
    runs integer NOT NULL DEFAULT 0
  )`,
  `CREATE UNIQUE INDEX push_schedule_name ON push_schedule (account_kid, lower(name))`,
  `CREATE INDEX push_schedule_due ON push_schedule (next_at) WHERE next_at IS NOT NULL`,
  `CREATE TABLE push_template (
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
  )`,
  `CREATE UNIQUE INDEX push_template_name ON push_template (account_kid, lower(name))`,
  `ALTER TABLE account ADD COLUMN push_approval_from integer`,
  // Types of tasks that a device says it carries out; NULL until it says.
  `ALTER TABLE terminal ADD COLUMN task_types text[]`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
